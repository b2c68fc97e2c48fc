// What is worked out once for several alerts: shares of what was late or refused, over the windows of burn rates.

export interface Recording {
  readonly record: string
  readonly expr: string
}

/** The windows of the burn rates: a fast one pages, a slow one is a ticket. */
const burnWindows = [300, 1800, 3600, 21600] as const
const readableWithinSeconds = 240

/** Of the paths for which a time is promised: staged ones wait for their window, overflow for others. A canary goes every ten seconds. */
const promisedWithin = (atOnce: string) => [
  { paths: atOnce, seconds: 30 },
  { paths: 'staged|ingestion', seconds: 300 },
]

/** Whether a time that should follow the clock is further behind than is promised, and in what share of the time. */
const behind = (what: string, during: string, metric: string, atOnce: string): readonly Recording[] => [
  {
    record: `svc:${what}:bool`,
    expr: promisedWithin(atOnce)
      .map(({ paths, seconds }) => `time() - min by (path) (${metric}{path=~"${paths}"}) > bool ${seconds}`)
      .join(' or '),
  },
  ...burnWindows.map(seconds => ({
    record: `svc:${during}:ratio_rate${seconds}s`,
    expr: `avg_over_time(svc:${what}:bool[@${seconds}s])`,
  })),
]

/** Something is readable later than is promised: by what the parts say of themselves, and by what was sent and looked for. */
const completeness = behind('incomplete', 'incomplete_time', 'svc_complete_until_timestamp_seconds', 'direct|scores')
const canaries = behind('canary_late', 'canary_late_time', 'svc_canary_readable_timestamp_seconds', 'direct')

/** Prometheus 3 stores the bound of a bucket as a float, however it was scraped: `240.0`. Before, it was as it came. */
const le = (bound: number) => `le=~"${bound}([.]0)?"`

/** Shares of what was late or refused, over each window. */
const shares: readonly Recording[] = burnWindows.flatMap(seconds => [
  {
    record: `svc:late_chunks:ratio_rate${seconds}s`,
    expr:
      `1 - sum(rate(svc_writer_end_to_end_seconds_bucket{${le(readableWithinSeconds)}}[@${seconds}s])) ` +
      `/ (sum(rate(svc_writer_end_to_end_seconds_count[@${seconds}s])) > 0)`,
  },
  {
    record: `svc:failed_requests:ratio_rate${seconds}s`,
    expr:
      `(sum(rate(svc_gateway_requests_total{code=~"5.."}[@${seconds}s])) or vector(0)) ` +
      `/ (sum(rate(svc_gateway_requests_total[@${seconds}s])) > 0)`,
  },
])

export const recordings: readonly Recording[] = [...shares, ...completeness, ...canaries]

// Recording rules. Several alerts use each rule.

export interface Recording {
  readonly record: string
  readonly expr: string
}

/**
 * Lengths of the windows for burn rates, in seconds. An alert with a short window calls a person immediately. An alert with a long window
 * creates a ticket.
 */
const burnWindows = [300, 1800, 3600, 21600] as const
const readableWithinSeconds = 240

/**
 * Seconds after which data on a path is too late. Staged spans wait for their window, so the limit of the path `staged` is higher. The path
 * `overflow` has no limit, because its spans wait for the spans of other projects. Each limit exceeds the ten seconds that pass by
 * default between two canaries on a path.
 */
const promisedWithin = (atOnce: string) => [
  { paths: atOnce, seconds: 30 },
  { paths: 'staged|ingestion', seconds: 300 },
]

/**
 * Returns recording rules for a timestamp metric. The rules measure the share of time in which the timestamp was older than svc promises.
 */
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

/**
 * Both lists of rules measure whether data becomes readable too late. The rules in `completeness` use metrics of the services. The public
 * API sends test items (canaries) and reads the test items back. The rules in `canaries` use the metrics of these test items.
 */
const completeness = behind('incomplete', 'incomplete_time', 'svc_complete_until_timestamp_seconds', 'direct|scores')
const canaries = behind('canary_late', 'canary_late_time', 'svc_canary_readable_timestamp_seconds', 'direct')

/**
 * Returns a matcher for the bound of a bucket. Prometheus 3 stores the bound as a float, such as `240.0`. Earlier versions store the text
 * that the scraped process reported.
 */
const le = (bound: number) => `le=~"${bound}([.]0)?"`

/** For each window of the burn rates, the share of work that was late or rejected. */
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

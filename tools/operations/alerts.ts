// The alerts. In expressions, a time is written as `@<seconds>s`, so that the chart can shorten the times in a trial installation.

export interface Alert {
  readonly name: string
  readonly expr: string
  readonly forSeconds: number
  readonly severity: 'page' | 'ticket'
  /** Sentence that describes the problem and contains the measured value. */
  readonly summary: string
}

/**
 * Returns a condition that is true if the error budget is used up too fast. The budget allows 1 % of a month's work to be late or rejected.
 * If 14.4 % of the work is late or rejected, the budget lasts two days. If 6 % is late or rejected, the budget lasts five days.
 */
const burn = (what: string, factor: number, long: number, short: number) =>
  `svc:${what}:ratio_rate${long}s > ${factor} * 0.01 and svc:${what}:ratio_rate${short}s > ${factor} * 0.01`

/**
 * Returns the growth of each series of a counter within a time window. If a series begins within the window, `increase` would ignore its
 * first event. For such a series, the returned expression therefore uses the whole value as the growth. If an older series has no
 * value at the start of the window because of a gap in scraping, the expression also uses the whole value.
 */
const grown = (counter: string, seconds: number) =>
  `(${counter} unless ${counter} offset @${seconds}s) or increase(${counter}[@${seconds}s])`

const refusedKeys = (metric: string) => `sum(rate(${metric}{cause=~"key_unknown|key_backoff"}[@300s])) > 1`

const notAfter = 'svc_tls_certificate_not_after_timestamp_seconds'
/**
 * Returns a condition on the remaining lifetime of a certificate. The condition is true if the certificate expires in less than `seconds`,
 * and in less than `share` of its whole lifetime. Because of the share, the rule suits certificates of one day as well as certificates of
 * one year.
 */
const certificateLeft = (seconds: number, share: number) =>
  `min by (instance) (${notAfter} - time() < ${seconds} ` +
  `and (${notAfter} - time()) / (${notAfter} - svc_tls_certificate_not_before_timestamp_seconds) < ${share})`

export const alerts: readonly Alert[] = [
  {
    name: 'SvcSpansUnaccounted',
    expr: 'sum by (topic) (svc_unaccounted_spans) > 0',
    forSeconds: 300,
    severity: 'page',
    summary: '{{ $value }} acknowledged items of {{ $labels.topic }} are missing from the tables.',
  },
  {
    name: 'SvcSpansLost',
    expr: `sum by (topic) (${grown('svc_audit_lost_spans_total', 3600)}) > 0`,
    forSeconds: 0,
    severity: 'page',
    summary:
      '{{ $value }} items of {{ $labels.topic }} are lost: retention deleted them from the log before they were stored in the tables.',
  },
  {
    name: 'SvcPartitionHalted',
    expr: 'sum(svc_writer_halted) > 0 or sum(svc_propagator_halted) > 0 or sum(svc_merger_halted) > 0',
    forSeconds: 120,
    severity: 'page',
    summary:
      '{{ $value }} partitions are halted because of a fault that an operator must repair. Each halted partition is retried once a minute.',
  },
  {
    name: 'SvcNoProgress',
    expr: 'max(svc_writer_lag_seconds) > 120 and on () sum(increase(svc_writer_chunks_total{outcome="acknowledged"}[@300s])) == 0',
    forSeconds: 300,
    severity: 'page',
    summary: 'Records have waited {{ $value | humanizeDuration }}, and no writer has stored anything for five minutes.',
  },
  {
    name: 'SvcWriterBehind',
    expr: 'max by (topic) (svc_writer_lag_seconds{topic!="spans.overflow"}) > 120',
    forSeconds: 900,
    severity: 'ticket',
    summary: 'Writers are {{ $value | humanizeDuration }} behind on {{ $labels.topic }}.',
  },
  {
    name: 'SvcPropagatorBehind',
    expr: 'max(svc_propagator_lag_seconds) > 900',
    forSeconds: 300,
    severity: 'page',
    summary: 'Staged spans have waited {{ $value | humanizeDuration }} for the publication of their window.',
  },
  {
    name: 'SvcFreshnessBurn',
    expr: `(${burn('late_chunks', 14.4, 3600, 300)}) or (${burn('late_chunks', 6, 21600, 1800)})`,
    forSeconds: 120,
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of stored items became readable more than four minutes after their acknowledgement.',
  },
  {
    name: 'SvcCompletenessBurn',
    expr: `(${burn('incomplete_time', 14.4, 3600, 300)}) or (${burn('incomplete_time', 6, 21600, 1800)})`,
    forSeconds: 120,
    severity: 'page',
    summary:
      'For {{ $value | humanizePercentage }} of the time, items of {{ $labels.path }} were not readable within the promised time after their acknowledgement.',
  },
  {
    name: 'SvcCanaryBurn',
    expr: `(${burn('canary_late_time', 14.4, 3600, 300)}) or (${burn('canary_late_time', 6, 21600, 1800)})`,
    forSeconds: 120,
    severity: 'page',
    summary: 'For {{ $value | humanizePercentage }} of the time, no canary of {{ $labels.path }} arrived within the promised time.',
  },
  {
    name: 'SvcAvailabilityBurn',
    expr: `(${burn('failed_requests', 14.4, 3600, 300)}) or (${burn('failed_requests', 6, 21600, 1800)})`,
    forSeconds: 120,
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of requests fail with 5xx. Clients retry, and then drop their spans.',
  },
  {
    name: 'SvcSpansRefused',
    expr: 'sum(rate(svc_gateway_spans_total{outcome="refused"}[@300s])) > 0',
    forSeconds: 120,
    severity: 'ticket',
    summary: 'The gateway refuses whole requests. Together, they contain {{ $value | humanize }} spans per second.',
  },
  {
    name: 'SvcKeysRefused',
    expr: `${refusedKeys('svc_gateway_refused_unread_total')} or ${refusedKeys('svc_api_refused_unread_total')}`,
    forSeconds: 600,
    severity: 'ticket',
    summary: '{{ $value | humanize }} requests per second carry unknown or revoked keys.',
  },
  {
    name: 'SvcDeadLetters',
    expr: `sum by (stage, reason) (${grown('svc_writer_dead_letters_total', 900)}) > 0`,
    forSeconds: 0,
    severity: 'ticket',
    summary: '{{ $value | humanize }} items could not be stored and were dead-lettered. Reason: {{ $labels.reason }}.',
  },
  {
    name: 'SvcDeadLettersDropped',
    expr: 'max(increase(svc_dead_letters_dropped_total[@3600s])) > 0',
    forSeconds: 0,
    severity: 'page',
    summary: '{{ $value | humanize }} dead letters were dropped from their topic.',
  },
  {
    name: 'SvcInsertsFail',
    expr:
      'sum(rate(svc_writer_insert_seconds_count{outcome="failed"}[@300s])) ' +
      '/ (sum(rate(svc_writer_insert_seconds_count[@300s])) > 0) > 0.1',
    forSeconds: 600,
    severity: 'ticket',
    summary: '{{ $value | humanizePercentage }} of inserts fail. The writers retry them.',
  },
  {
    name: 'SvcColumnStoreOverloaded',
    expr: 'max(rate(svc_writer_backpressure_seconds_total[@300s])) > 0.5',
    forSeconds: 900,
    severity: 'ticket',
    summary: 'A writer spends {{ $value | humanizePercentage }} of its time waiting for a store.',
  },
  {
    name: 'SvcAuditBehind',
    expr: 'max by (topic) (svc_audit_lag_seconds) > 259200',
    forSeconds: 3600,
    severity: 'ticket',
    summary:
      'The audit of {{ $labels.topic }} lags by {{ $value | humanizeDuration }}. The audit cannot prove anything about records that retention has deleted.',
  },
  {
    name: 'SvcAuditPassedOver',
    expr: `sum by (topic) (${grown('svc_audit_passed_offsets_total', 3600)}) > 0`,
    forSeconds: 0,
    severity: 'page',
    summary: 'Retention deleted {{ $value | humanize }} offsets of {{ $labels.topic }} before the audit reached them.',
  },
  {
    name: 'SvcAuditSilent',
    expr: 'sum(increase(svc_ledger_audits_total{outcome="done"}[@1800s])) == 0 or sum(increase(svc_row_audits_total{outcome="done"}[@3600s])) == 0',
    forSeconds: 900,
    severity: 'ticket',
    summary: 'No audit round has finished for half an hour, so the value 0 of svc_unaccounted_spans proves nothing.',
  },
  {
    name: 'SvcRecordsExpired',
    expr:
      `sum(${grown('svc_writer_expired_records_total', 3600)}) > 0 or sum(${grown('svc_propagator_expired_records_total', 3600)}) > 0 ` +
      `or sum(${grown('svc_merger_expired_records_total', 3600)}) > 0`,
    forSeconds: 0,
    severity: 'page',
    summary: '{{ $value | humanize }} records were deleted by retention before they were read.',
  },
  {
    name: 'SvcUnreadTopic',
    expr: 'max by (topic) (svc_writer_unread_records) > 0',
    forSeconds: 900,
    severity: 'ticket',
    summary: '{{ $value | humanize }} records wait on {{ $labels.topic }}, which this release does not read.',
  },
  {
    name: 'SvcDefect',
    expr: 'sum(increase(svc_gateway_defects_total[@3600s])) > 0 or sum(increase(svc_api_defects_total[@3600s])) > 0',
    forSeconds: 0,
    severity: 'ticket',
    summary: '{{ $value | humanize }} requests failed with 500 because of a defect.',
  },
  {
    name: 'SvcCertificateExpires',
    expr: certificateLeft(14 * 86_400, 0.2),
    forSeconds: 600,
    severity: 'ticket',
    summary: 'The certificate of {{ $labels.instance }} expires in {{ $value | humanizeDuration }} and has not been replaced.',
  },
  {
    name: 'SvcCertificateExpired',
    expr: certificateLeft(2 * 86_400, 0.05),
    forSeconds: 0,
    severity: 'page',
    summary:
      'The certificate of {{ $labels.instance }} expires in {{ $value | humanizeDuration }}. If this time is negative, the certificate has expired. Clients refuse an expired certificate.',
  },
  {
    name: 'SvcCertificateUnusable',
    expr: 'max by (instance) (svc_tls_files_unusable) > 0',
    forSeconds: 300,
    severity: 'ticket',
    summary: 'The certificate or key file of {{ $labels.instance }} is unusable. The process still uses the previous pair.',
  },
  {
    name: 'SvcBackfillFailed',
    expr: 'max(svc_backfill_failed) > 0',
    forSeconds: 300,
    severity: 'ticket',
    summary: 'A step of the backfill failed and waits for an operator. Run svc backfill status to see why.',
  },
  {
    name: 'SvcRestartLoop',
    expr: 'changes(process_start_time_seconds[@1800s]) > 3 and on (instance) svc_build_info',
    forSeconds: 0,
    severity: 'ticket',
    summary: '{{ $labels.instance }} has started {{ $value }} times within half an hour.',
  },
  {
    name: 'SvcEventLoopLate',
    expr: 'nodejs_eventloop_lag_p99_seconds > 0.5 and on (instance) svc_build_info',
    forSeconds: 600,
    severity: 'ticket',
    summary: '{{ $labels.instance }} responds {{ $value | humanizeDuration }} late, because work on its event loop blocks it.',
  },
  {
    name: 'SvcNotScraped',
    expr: 'absent(svc_build_info)',
    forSeconds: 300,
    severity: 'page',
    summary: 'Prometheus scrapes no svc process. Either no svc process is running, or Prometheus cannot reach any of them.',
  },
]

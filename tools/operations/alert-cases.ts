// For each alert, samples with which the alert must fire and then resolve. A series has one sample per minute. The notation is that of
// promtool: `1x30` is the value 1, repeated 30 more times.

export interface AlertCase {
  readonly alert: string
  readonly series: Readonly<Record<string, string>>
  /** Time at which the alert must fire, in minutes since the start of the series. */
  readonly firesAt: number
  readonly overAt: number
  /** Time at which the alert must not fire yet, in minutes since the start of the series. */
  readonly quietAt: number
  /** Expected labels of the alert, in addition to its name and severity. */
  readonly labels?: Readonly<Record<string, string>>
}

const topic = { topic: 'spans.direct' }
const acknowledged = 'svc_writer_chunks_total{outcome="acknowledged"}'
const late = 'svc_writer_end_to_end_seconds'

export const alertCases: readonly AlertCase[] = [
  {
    alert: 'SvcSpansUnaccounted',
    series: { 'svc_unaccounted_spans{topic="spans.direct"}': '0x9 3x20 0x30' },
    quietAt: 12,
    firesAt: 20,
    overAt: 40,
    labels: topic,
  },
  {
    alert: 'SvcSpansLost',
    series: { 'svc_audit_lost_spans_total{topic="spans.direct"}': '0x9 3x120' },
    quietAt: 9,
    firesAt: 15,
    overAt: 90,
    labels: topic,
  },
  {
    alert: 'SvcPartitionHalted',
    series: { svc_writer_halted: '0x9 1x20 0x30', svc_propagator_halted: '0x60' },
    quietAt: 10,
    firesAt: 15,
    overAt: 40,
  },
  {
    alert: 'SvcNoProgress',
    series: { 'svc_writer_lag_seconds{topic="spans.direct",partition="0"}': '1x9 200+60x20 1x30', [acknowledged]: '0+5x9 50x20 50+5x30' },
    quietAt: 12,
    firesAt: 25,
    overAt: 45,
    labels: {},
  },
  {
    alert: 'SvcWriterBehind',
    series: {
      'svc_writer_lag_seconds{topic="spans.direct"}': '1x9 300x30 1x30',
      'svc_writer_lag_seconds{topic="spans.overflow"}': '900x90',
    },
    quietAt: 20,
    firesAt: 30,
    overAt: 50,
    labels: topic,
  },
  {
    alert: 'SvcPropagatorBehind',
    series: { 'svc_propagator_lag_seconds{partition="0"}': '100x9 1000x20 100x30' },
    quietAt: 12,
    firesAt: 20,
    overAt: 40,
  },
  // Prometheus 2 and Prometheus 3 write the bound of a bucket differently.
  ...['240', '240.0'].map(le => ({
    alert: 'SvcFreshnessBurn',
    series: { [`${late}_bucket{le="${le}"}`]: '0+100x100 10000x60 10000+100x400', [`${late}_count`]: '0+100x600' },
    quietAt: 100,
    firesAt: 140,
    overAt: 560,
  })),
  {
    // One process makes no progress for an hour. The path `overflow` has data that exceeds a project's share. Data on this path may wait,
    // so the delay causes no alert.
    alert: 'SvcCompletenessBurn',
    series: {
      'svc_complete_until_timestamp_seconds{path="direct",instance="a"}': '-5+60x100 5995x60 9715+60x400',
      'svc_complete_until_timestamp_seconds{path="direct",instance="b"}': '-5+60x600',
      'svc_complete_until_timestamp_seconds{path="staged",instance="a"}': '-240+60x600',
      'svc_complete_until_timestamp_seconds{path="overflow",instance="a"}': '0x600',
    },
    quietAt: 100,
    firesAt: 140,
    overAt: 560,
    labels: { path: 'direct' },
  },
  {
    // One replica receives no canary for an hour. The staged path causes no alert: its newest found canary is always about four minutes
    // old, and the limit is five minutes.
    alert: 'SvcCanaryBurn',
    series: {
      'svc_canary_readable_timestamp_seconds{path="direct",instance="a"}': '-15+60x100 5985x60 9705+60x400',
      'svc_canary_readable_timestamp_seconds{path="direct",instance="b"}': '-15+60x600',
      'svc_canary_readable_timestamp_seconds{path="staged",instance="a"}': '-240+60x600',
    },
    quietAt: 100,
    firesAt: 140,
    overAt: 560,
    labels: { path: 'direct' },
  },
  {
    alert: 'SvcAvailabilityBurn',
    series: { 'svc_gateway_requests_total{code="200"}': '0+100x600', 'svc_gateway_requests_total{code="503"}': '0x100 0+100x60 6000x400' },
    quietAt: 100,
    firesAt: 140,
    overAt: 560,
  },
  {
    alert: 'SvcSpansRefused',
    series: { 'svc_gateway_spans_total{outcome="refused",route="none"}': '0x10 0+60x20 1200x30' },
    quietAt: 10,
    firesAt: 20,
    overAt: 45,
  },
  {
    alert: 'SvcDeadLetters',
    series: { 'svc_writer_dead_letters_total{stage="decode",reason="payload_undecodable"}': '0x10 2x60' },
    quietAt: 10,
    firesAt: 15,
    overAt: 40,
    labels: { stage: 'decode', reason: 'payload_undecodable' },
  },
  {
    alert: 'SvcKeysRefused',
    series: {
      'svc_gateway_refused_unread_total{cause="key_unknown"}': '0x10 0+120x30 3600x30',
      'svc_gateway_refused_unread_total{cause="key_missing"}': '0+600x90',
    },
    quietAt: 18,
    firesAt: 30,
    overAt: 55,
  },
  { alert: 'SvcDeadLettersDropped', series: { svc_dead_letters_dropped_total: '0x10 5x120' }, quietAt: 10, firesAt: 15, overAt: 90 },
  {
    alert: 'SvcInsertsFail',
    series: {
      'svc_writer_insert_seconds_count{outcome="failed"}': '0x10 0+20x20 400x60',
      'svc_writer_insert_seconds_count{outcome="stored"}': '0+60x100',
    },
    quietAt: 15,
    firesAt: 28,
    overAt: 50,
  },
  {
    alert: 'SvcColumnStoreOverloaded',
    series: { svc_writer_backpressure_seconds_total: '0x10 0+50x40 2000x60' },
    quietAt: 20,
    firesAt: 40,
    overAt: 70,
  },
  {
    alert: 'SvcAuditBehind',
    series: { 'svc_audit_lag_seconds{topic="spans.direct",partition="1"}': '10x9 300000x90 10x30' },
    quietAt: 30,
    firesAt: 80,
    overAt: 110,
    labels: topic,
  },
  {
    alert: 'SvcAuditPassedOver',
    series: { 'svc_audit_passed_offsets_total{topic="spans.direct"}': '0x9 3x120' },
    quietAt: 9,
    firesAt: 15,
    overAt: 90,
    labels: topic,
  },
  {
    alert: 'SvcAuditSilent',
    series: { 'svc_ledger_audits_total{outcome="done"}': '0+2x10 20x80 20+2x60', 'svc_row_audits_total{outcome="done"}': '0+2x200' },
    quietAt: 40,
    firesAt: 70,
    overAt: 120,
  },
  {
    alert: 'SvcRecordsExpired',
    series: {
      'svc_propagator_expired_records_total{partition="0"}': '0x10 9x120',
      'svc_writer_expired_records_total{topic="spans.direct",partition="0"}': '0x130',
    },
    quietAt: 10,
    firesAt: 15,
    overAt: 90,
  },
  {
    alert: 'SvcUnreadTopic',
    series: { 'svc_writer_unread_records{topic="spans.direct"}': '0x9 7x30 0x30' },
    quietAt: 20,
    firesAt: 30,
    overAt: 50,
    labels: topic,
  },
  {
    alert: 'SvcDefect',
    series: { 'svc_gateway_defects_total{state="own"}': '0x10 1x120', 'svc_api_defects_total{state="own"}': '0x130' },
    quietAt: 10,
    firesAt: 15,
    overAt: 90,
  },
  // A counter whose label values are not known in advance has no series before its first event, so its case begins with `_` (no sample).
  {
    alert: 'SvcSpansLost',
    series: { 'svc_audit_lost_spans_total{topic="spans.direct"}': '_x10 3x120' },
    quietAt: 9,
    firesAt: 15,
    overAt: 90,
    labels: topic,
  },
  {
    alert: 'SvcAuditPassedOver',
    series: { 'svc_audit_passed_offsets_total{topic="spans.direct"}': '_x10 3x120' },
    quietAt: 9,
    firesAt: 15,
    overAt: 90,
    labels: topic,
  },
  {
    alert: 'SvcDeadLetters',
    series: { 'svc_writer_dead_letters_total{stage="decode",reason="payload_undecodable"}': '_x11 1x60' },
    quietAt: 10,
    firesAt: 15,
    overAt: 40,
    labels: { stage: 'decode', reason: 'payload_undecodable' },
  },
  {
    alert: 'SvcRecordsExpired',
    series: { 'svc_merger_expired_records_total{topic="traces.ingestion",partition="0"}': '_x11 9x120' },
    quietAt: 10,
    firesAt: 15,
    overAt: 90,
  },
  { alert: 'SvcBackfillFailed', series: { svc_backfill_failed: '0x9 1x20 0x30' }, quietAt: 12, firesAt: 20, overAt: 40 },
  {
    // The certificate is valid for ninety days, and thirteen of these days are left. After an hour, the certificate is replaced.
    alert: 'SvcCertificateExpires',
    series: {
      'svc_tls_certificate_not_after_timestamp_seconds{instance="a",file="f"}': '1123200x60 7776000x60',
      'svc_tls_certificate_not_before_timestamp_seconds{instance="a",file="f"}': '-6652800x60 0x60',
      'svc_tls_certificate_not_after_timestamp_seconds{instance="b",file="f"}': '86400x120',
      'svc_tls_certificate_not_before_timestamp_seconds{instance="b",file="f"}': '0x120',
    },
    quietAt: 5,
    firesAt: 30,
    overAt: 70,
    labels: { instance: 'a' },
  },
  {
    alert: 'SvcCertificateExpired',
    series: {
      'svc_tls_certificate_not_after_timestamp_seconds{instance="a",file="f"}': '3600x70 90000x60',
      'svc_tls_certificate_not_before_timestamp_seconds{instance="a",file="f"}': '0x70 3600x60',
    },
    quietAt: 50,
    firesAt: 65,
    overAt: 80,
    labels: { instance: 'a' },
  },
  {
    alert: 'SvcCertificateUnusable',
    series: { 'svc_tls_files_unusable{instance="a"}': '0x9 1x20 0x30' },
    quietAt: 12,
    firesAt: 20,
    overAt: 40,
    labels: { instance: 'a' },
  },
  {
    alert: 'SvcRestartLoop',
    series: { 'process_start_time_seconds{instance="a"}': '1x9 2 3 4 5 6 7 8 8x60', 'svc_build_info{instance="a"}': '1x90' },
    quietAt: 10,
    firesAt: 18,
    overAt: 60,
    labels: { instance: 'a' },
  },
  {
    alert: 'SvcEventLoopLate',
    series: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.01x9 2x20 0.01x30', 'svc_build_info{instance="a"}': '1x90' },
    quietAt: 15,
    firesAt: 25,
    overAt: 40,
    labels: { instance: 'a' },
  },
  { alert: 'SvcNotScraped', series: { 'svc_build_info{instance="a"}': '1x9 stale _x20 1x30' }, quietAt: 9, firesAt: 20, overAt: 35 },
]

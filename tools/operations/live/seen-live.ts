// Which alerts are made to come and go before a real Prometheus, by what; and for the others, why by promtool's cases alone. Data, for the suite that does
// it and for docs/runbooks/alerts.md.

/** Alert by alert, the fault that brings it about. */
export const provokedBy = {
  SvcNotScraped: 'nothing is scraped',
  SvcDeadLetters: 'a row that the column store refuses',
  SvcDeadLettersDropped: 'dead letters purged by hand',
  SvcKeysRefused: 'a flood of keys that do not work',
  SvcCertificateExpires: 'a certificate near its end, then a key that is none of its own',
  SvcCertificateExpired: 'a certificate near its end, then a key that is none of its own',
  SvcCertificateUnusable: 'a certificate near its end, then a key that is none of its own',
  SvcRestartLoop: 'a process that is killed again and again',
  SvcEventLoopLate: 'a process that is held up again and again',
  SvcSpansUnaccounted: 'rows that go behind the writer’s back',
  SvcSpansRefused: 'a broker that stands still',
  SvcAvailabilityBurn: 'a broker that stands still',
  SvcInsertsFail: 'a column store with too many parts',
  SvcColumnStoreOverloaded: 'a column store with too many parts',
  SvcPartitionHalted: 'a column store that lets nobody insert',
  SvcWriterBehind: 'a column store that is away for minutes',
  SvcNoProgress: 'a column store that is away for minutes',
  SvcAuditSilent: 'a column store that is away for minutes',
  SvcCompletenessBurn: 'a column store that is away for minutes',
  SvcCanaryBurn: 'a column store that is away for minutes',
} as const

export type Provoked = keyof typeof provokedBy

const retention = 'it wants retention to take what nobody has seen: not done here yet'

export const notProvoked: Readonly<Record<string, string>> = {
  SvcSpansLost: retention,
  SvcAuditPassedOver: retention,
  SvcRecordsExpired: retention,
  SvcAuditBehind: 'its threshold is three days of what was not audited',
  SvcFreshnessBurn: 'chunks would have to be stored four minutes late, most of two minutes long: not done here yet',
  SvcBackfillFailed: 'it wants history whose chunks fail: not done here yet',
  SvcPropagatorBehind: 'its threshold is a quarter of an hour of windows that are not published',
  SvcUnreadTopic: 'it wants a topic that this release does not read, from another release',
  SvcDefect: 'no request is known that meets a defect',
}

// The alerts that a live test fires and resolves on a real Prometheus, with their faults; for all other alerts, the reason why only
// promtool's cases test them. The live test and docs/runbooks/alerts.md use this data.

/** The faults that cause each alert. */
export const provokedBy = {
  SvcNotScraped: ['nothing is scraped'],
  SvcDeadLetters: ['a row that the column store refuses'],
  SvcDeadLettersDropped: ['dead letters purged by hand'],
  SvcBackfillFailed: ['history that the column store does not take'],
  SvcDefect: ['a table that another release has renamed'],
  SvcKeysRefused: ['a flood of keys that do not work'],
  SvcCertificateExpires: ['a certificate near its end, then a key that is none of its own'],
  SvcCertificateExpired: ['a certificate near its end, then a key that is none of its own'],
  SvcCertificateUnusable: ['a certificate near its end, then a key that is none of its own'],
  SvcRestartLoop: ['a process that is killed again and again'],
  SvcEventLoopLate: ['a process that is held up again and again'],
  SvcSpansUnaccounted: ['rows that go behind the writer’s back'],
  SvcSpansLost: ['rows that are gone, and then their records'],
  SvcAuditPassedOver: ['an audit that cannot ask until retention comes'],
  SvcRecordsExpired: ['a group whose offsets are gone, and what it had not read'],
  SvcSpansRefused: ['a broker that stands still'],
  SvcAvailabilityBurn: ['a broker that stands still'],
  SvcInsertsFail: ['a column store with too many parts'],
  SvcColumnStoreOverloaded: ['a column store with too many parts'],
  SvcPartitionHalted: ['a writer that stood for longer than retention', 'a column store that lets nobody insert'],
  SvcWriterBehind: ['a column store that is away for minutes'],
  SvcNoProgress: ['a column store that is away for minutes'],
  SvcAuditSilent: ['a column store that is away for minutes'],
  SvcCompletenessBurn: ['a column store that is away for minutes'],
  SvcCanaryBurn: ['a writer that stands still', 'a column store that is away for minutes'],
  SvcFreshnessBurn: ['a column store that is away for minutes'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Provoked = keyof typeof provokedBy

/** The faults that caused each observed alert. */
export const whatProvoked = (
  seen: readonly { readonly alert: string; readonly what: string }[],
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...Map.groupBy(seen, ({ alert }) => alert)].map(([alert, of]) => [alert, of.map(({ what }) => what)]))

export const notProvoked: Readonly<Record<string, string>> = {
  SvcAuditBehind: 'its threshold is three days of what was not audited',
  SvcPropagatorBehind: 'its threshold is a quarter of an hour of windows that are not published',
  SvcUnreadTopic: 'it wants a topic that this release does not read, from another release',
}

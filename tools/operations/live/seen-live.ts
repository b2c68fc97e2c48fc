// Lists the alerts that the live test fires, each with the faults that cause the alert. Then lists all other alerts, each with the reason
// why only promtool tests it.

export const provokedBy = {
  SvcNotScraped: ['a Prometheus that scrapes no process'],
  SvcDeadLetters: ['a row that the column store refuses to insert'],
  SvcDeadLettersDropped: ['dead letters that an operator purges'],
  SvcBackfillFailed: ['a backfill whose inserts the column store refuses'],
  SvcDefect: ['a renamed table in the relational store'],
  SvcKeysRefused: ['many requests with invalid keys'],
  SvcCertificateExpires: ['a certificate that expires soon, and then a key file that does not match this certificate'],
  SvcCertificateExpired: ['a certificate that expires soon, and then a key file that does not match this certificate'],
  SvcCertificateUnusable: ['a certificate that expires soon, and then a key file that does not match this certificate'],
  SvcRestartLoop: ['a process that is killed repeatedly'],
  SvcEventLoopLate: ['a process that is suspended repeatedly'],
  SvcSpansUnaccounted: ['rows that are deleted from the tables after the writer stored them'],
  SvcSpansLost: ['rows that are deleted from the tables, and whose records are then deleted from the log'],
  SvcAuditPassedOver: ['an audit whose queries fail for so long that retention deletes records that the audit has not read'],
  SvcRecordsExpired: ['a consumer group whose offsets are deleted together with its unread records'],
  SvcSpansRefused: ['a broker that is suspended'],
  SvcAvailabilityBurn: ['a broker that is suspended'],
  SvcInsertsFail: ['a column store with too many parts'],
  SvcColumnStoreOverloaded: ['a column store with too many parts'],
  SvcPartitionHalted: ['a writer that was stopped for longer than retention', 'a column store that denies inserts'],
  SvcWriterBehind: ['a column store that is unavailable for minutes'],
  SvcNoProgress: ['a column store that is unavailable for minutes'],
  SvcAuditSilent: ['a column store that is unavailable for minutes'],
  SvcCompletenessBurn: ['a column store that is unavailable for minutes'],
  SvcCanaryBurn: ['a writer that is suspended', 'a column store that is unavailable for minutes'],
  SvcFreshnessBurn: ['a column store that is unavailable for minutes'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Provoked = keyof typeof provokedBy

export const whatProvoked = (
  seen: readonly { readonly alert: string; readonly what: string }[],
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...Map.groupBy(seen, ({ alert }) => alert)].map(([alert, of]) => [alert, of.map(({ what }) => what)]))

export const notProvoked: Readonly<Record<string, string>> = {
  SvcAuditBehind: 'the threshold is an audit lag of three days, which is too long for the test',
  SvcPropagatorBehind: 'the threshold is a lag of 15 minutes, which is too long for the test',
  SvcUnreadTopic: 'only a different release can create a topic that this release does not read',
}

// Writes the reports of other stages from the topic `ledger` to the table ingest_ledger. A separate consumer group reads these reports, so
// that spans and ledger rows do not delay each other.
import type { ColumnStore } from '@svc-server/column-store/port'
import { storeLedgerRecords } from '@svc-server/conservation/ledger-records'
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { LedgerRecord } from '@svc-server/schema/ledger-record'
import { createRunner, type Runner, type RunnerOptions } from '@svc-server/stream/runner'
import { decodeLedger } from './stages/decode-ledger.ts'

export interface LedgerTopicDeps
  extends Pick<
    RunnerOptions<LedgerRecord>,
    'deadLetters' | 'backoff' | 'pauseMs' | 'haltedPauseMs' | 'heartbeatIntervalMs' | 'clock' | 'events'
  > {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly maxWaitMs: number
}

// A record has only a few hundred bytes, so all records that arrive within `maxWaitMs` fit into one insert.
const fetchBytes = 1 << 20
const maxRows = 10_000

export function createLedgerTopicRunner({ log, columnStore, maxWaitMs, ...rest }: LedgerTopicDeps): Runner {
  return createRunner<LedgerRecord>({
    ...rest,
    log,
    group: groupNames.ledger,
    topics: [topicNames.ledger],
    fetch: { minBytes: fetchBytes, maxWaitMs, maxBatchBytes: fetchBytes },
    concurrency: 1,
    stage: decodeLedger,
    weigh: () => ({ rows: 1, bytes: 0, work: 0 }),
    ownerOf: ({ group }) => group,
    limits: { maxRows, maxBytes: Number.POSITIVE_INFINITY, maxWork: Number.POSITIVE_INFINITY },
    pipeline: {
      versions: {},
      // If an insert is repeated, the new rows replace the rows with the same keys. The writer therefore need not look up whether rows are
      // already stored.
      prepare: async ({ items, rejected }, { backoff }) => ({
        rejected,
        async store() {
          const records = items.map(({ payload }) => payload)
          await backoff.retry(() => storeLedgerRecords({ log, columnStore }, records))
          return []
        },
      }),
    },
  })
}

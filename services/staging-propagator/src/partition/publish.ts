// Publishes the next range of a closed window in one transaction.
import type { NewRecord } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { encodeLedgerRecord } from '@svc-server/schema/ledger-record'
import type { OwnerDeps } from './deps.ts'
import { arenaFor, type FilledRange, fillRange } from './fill-range.ts'
import type { Arena } from './filled-record.ts'
import type { Commit, Publishing } from './machine.ts'
import type { Progress } from './progress.ts'

const topic = topicNames.staging
const group = groupNames.propagator
/**
 * Maximum size of a published range, as a multiple of `publishBytes`. The limit is higher than `publishBytes`, because filled spans can be
 * much larger than compressed staged spans.
 */
const maxGrowth = 4

type CommitWith = (offset: number, progress: Progress, appends: ReadonlyMap<string, readonly NewRecord[]>) => Promise<Commit>

export interface Publisher {
  /** `end` is the offset of the first unpublished record. */
  publishNext(state: Publishing, commitWith: CommitWith): Promise<{ readonly commit: Commit; readonly end: number }>
  /**
   * Callers must call this method after a failure: an unfinished commit can still read the memory of the arena, so the publisher must not
   * reuse this memory.
   */
  dropArena(): void
}

export function createPublisher(deps: OwnerDeps): Publisher {
  const { partition, log, state: traces, config, metrics, deadLetters, monotonicNow, onProgress, onMode } = deps
  const ledgerKey = Buffer.from(`${log.logId(topic)}/${partition}`)
  let arena: Arena | null = null

  return {
    async publishNext({ standing, window: closedWindow }, commitWith) {
      const startedAt = monotonicNow()
      const { window, last, decisions, closedBy } = closedWindow
      const { published, progress } = standing
      const batch = await readWithin(log, { topic, partition, from: published, until: last + 1 }, config.publishBytes)
      const records = batch.records.filter(({ offset }) => offset <= last)
      arena = arenaFor(records, arena)
      const range = await fillRange(closedWindow, records, arena, maxGrowth * config.publishBytes)
      const end = records[range.records]?.offset ?? Math.min(batch.nextOffset, last + 1)
      deadLetters.admit(range.tally)

      // In the embedded log, an offset without a record means a lost record. The ledger's range begins at the first record that was read.
      // The range does not cover lost records before this first record, so the audit reports these lost records as missing.
      const first = log.kind === 'embedded' ? (records[0]?.offset ?? published) : published
      const appends = new Map<string, readonly NewRecord[]>([
        [topicNames.filled, range.filled],
        [topicNames.traceAttributes, range.attributes],
        [topicNames.ledger, [{ key: ledgerKey, value: ledgerRecord(partition, first, end - 1, range) }]],
        ...deadLetters.appends({ topic, partition }, range.rejected),
      ])
      const isWhole = end > last
      const repairsFollow = isWhole && (decisions.repairsNeeded || traces.pendingCount(partition) > 0)
      const commit = await commitWith(
        // If repairs follow, one record stays uncommitted. The partition does repairs in `work`, and the log calls `work` only while the
        // group has uncommitted records.
        repairsFollow ? window.lastRecord : end,
        { ...progress, window: { first: window.first, last, endMs: window.endMs }, published: repairsFollow ? end : null },
        appends,
      )
      deadLetters.acknowledged(range.tally)
      batch.release?.()
      if (isWhole) arena = null
      else arena?.clear()
      metrics.publishSeconds.observe((monotonicNow() - startedAt) / 1000)
      count(range)
      if (isWhole) metrics.windows.inc({ closed_by: closedBy })
      onProgress(partition, isWhole ? window.endMs : null)
      return { commit, end }
    },
    dropArena() {
      arena = null
    },
  }

  function count({ exits, rows, unfilled, deadLettered, late, modes }: FilledRange): void {
    for (const [mode, records] of modes) onMode(mode, records)
    for (const reason of exits) metrics.windowExits.inc({ reason })
    metrics.spans.inc({ outcome: 'filled' }, rows - unfilled)
    metrics.spans.inc({ outcome: 'unfilled' }, unfilled)
    metrics.spans.inc({ outcome: 'dead_lettered' }, deadLettered)
    metrics.lateSpans.inc(late)
  }
}

const ledgerRecord = (
  partition: number,
  first: number,
  last: number,
  { records, spans, rows, deadLettered }: Pick<FilledRange, 'records' | 'spans' | 'rows' | 'deadLettered'>,
): Buffer => encodeLedgerRecord({ group, topic, partition, first, last, records, spans, rows, deadLettered, denied: 0, versions: {} })

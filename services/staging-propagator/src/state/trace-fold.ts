import type { LogRecord, NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Fold, Target } from '@svc-server/owner/changelog'
import type { Progress } from '@svc-server/owner/progress'
import { decodeTraceWindow } from '@svc-server/schema/trace-window'
import { type Change, fold, horizonOf } from './fold.ts'
import { emptyNumbers, idOf, type Numbers } from './layout.ts'
import { changeOf } from './records.ts'
import { createTable, type Table } from './table.ts'

type To = Target<Table, Numbers>

const topic = topicNames.traceAttributes
/** Maximum number of records in one transaction, so that a transaction stays short. */
const maxRecords = 1024
/** Maximum number of windows that expire in one transaction: twice `maxRecords`, so that windows expire at least as fast as they arrive. */
const maxExpired = 2 * maxRecords

export interface TraceFold extends Fold<Table, Numbers> {
  /** Removes all windows that are expired at the time `endMs`. These include expired windows that an earlier process left in the table. */
  expire(to: To, numbers: Numbers, endMs: number): Promise<Numbers>
}

export function createTraceFold(retentionMs: number): TraceFold {
  async function commit({ table, write }: To, numbers: Numbers, changes: readonly Change[]): Promise<Numbers> {
    const folded = await fold(table, numbers, changes, { retentionMs, maxExpired })
    await write(folded)
    return folded.numbers
  }

  return {
    topic,
    name: 'The trace state',
    readBytes: 1024 * 1024,
    createTable,
    numbersOf: table => table.numbers(),
    emptyNumbers,

    async apply(to, from, { records, nextOffset }, progress) {
      let numbers = from
      for (let at = 0; at < records.length; at += maxRecords) {
        const run = records.slice(at, at + maxRecords)
        const offset = records[at + maxRecords]?.offset ?? nextOffset
        const changes = changesOf(run, progress)
        numbers = await commit(to, { ...numbers, offset, newestTimestampMs: run.at(-1)!.timestampMs }, changes)
        progress.applied += run.length
      }
      return nextOffset > numbers.offset ? commit(to, { ...numbers, offset: nextOffset }, []) : numbers
    },

    isApplied: (table, numbers, record) => isApplied(table, horizonOf(numbers.newestEndMs, retentionMs), record),

    async expire(to, from, endMs) {
      let numbers: Numbers = { ...from, newestEndMs: Math.max(from.newestEndMs, endMs) }
      while (to.table.windowsBefore(horizonOf(numbers.newestEndMs, retentionMs), 1).length > 0) {
        to.refuseWhenEnding()
        numbers = await commit(to, numbers, [])
      }
      return numbers
    },
  }
}

function changesOf(records: readonly LogRecord[], progress: Progress): Change[] {
  return records.flatMap(record => {
    const change = changeOf(record)
    if (change === null) progress.skip(record.offset)
    return change ?? []
  })
}

function isApplied(table: Table, horizonMs: number, { key, value }: NewRecord): boolean {
  const change = changeOf({ topic, partition: 0, offset: 0, key, value })
  if (change === null) return true
  const { traceKey, firstOffset, window } = change
  const known = table.entries(idOf(traceKey)).find(entry => entry.firstOffset === firstOffset)
  if (window === null) return known === undefined
  if (known === undefined) return window.endMs < horizonMs
  // The state can contain a later generation of the window than the owner knows, because a repair writes the next generation. If the commit
  // of a repair gets no response although the log has stored the repair, the owner does not know this generation.
  return decodeTraceWindow(table.record(known)).generation >= decodeTraceWindow(window.record).generation
}

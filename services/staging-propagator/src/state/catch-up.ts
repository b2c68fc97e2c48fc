// Reads the changelog of one partition from its checkpoint to its end: the one way in which the state changes, live and after a loss.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog, FetchedBatch, LogRecord, NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { decodeTraceWindow } from '@svc-server/schema/trace-window'
import type { Logger } from '@svc-server/service/logs'
import { type Change, fold, horizonOf } from './fold.ts'
import { emptyNumbers, idOf, type Numbers } from './layout.ts'
import { createProgress, type Progress } from './progress.ts'
import { changeOf } from './records.ts'
import type { Store } from './store.ts'
import type { Table } from './table.ts'
import type { Turns } from './turns.ts'

export interface CatchUpDeps {
  readonly log: EventLog
  readonly store: Store<Table, Numbers>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly retentionMs: number
  readonly progressMs: number
  /** Few partitions work at a time, so that the batches in memory are few. */
  readonly turns: Turns
  /** The state is being closed. */
  readonly closing: AbortSignal
}

export interface CatchUpOptions {
  /**
   * The newest record that was committed to the changelog of this partition. A broker answers a commit before its records can be read: with it,
   * the end is not reached before this record has come.
   */
  readonly last?: NewRecord | undefined
  /** The changelog goes at least so far, as its watermark said: an answer that ends before does not show everything yet. */
  readonly end?: number | undefined
  /**
   * End of the newest window that is published. Windows expire by it: a project over its limit records no traces, and would have no later window
   * by which its old ones could go.
   */
  readonly endMs?: number | undefined
  /** Gives up between two batches, with `draining`; what has been applied stays. */
  readonly signal?: AbortSignal | undefined
}

export interface CaughtUp {
  /** Append time of the newest record that is applied, whenever that was; null when there has been none. */
  readonly newestTimestampMs: number | null
  /** Records read by this call. */
  readonly applied: number
}

const topic = topicNames.traceAttributes
const readBytes = 1024 * 1024
/** Records of one transaction: bounds the pages that it holds, and the time that queueing it takes. */
const maxRecords = 1024
/** Expired windows taken out beside a transaction's records; in the long run as many expire as come. */
const maxExpired = 2 * maxRecords
const readableWithinMs = 10_000
const maxPollMs = 50
const maxRestarts = 3

export async function catchUp(
  deps: CatchUpDeps,
  partition: number,
  { last, end: knownEnd = 0, endMs = 0, signal }: CatchUpOptions,
): Promise<CaughtUp> {
  const progress = createProgress(deps, partition)
  let numbers = await checkpoint(deps, partition)
  for (let stillSince = performance.now(); ; ) {
    refuseWhenEnding(deps, signal)
    const before = numbers
    const end = await deps.turns.run(async () => {
      const read = await readFrom(deps, partition, numbers)
      numbers = await apply(deps, partition, read.numbers, read.batch, progress)
      return Math.max(knownEnd, read.batch.highWatermark)
    })
    progress.report(numbers.offset, end)
    if (numbers.offset >= end && (last === undefined || isApplied(deps, partition, numbers, last))) break
    const now = performance.now()
    if (numbers.offset !== before.offset) {
      stillSince = now
    } else if (now - stillSince > readableWithinMs) {
      throw new AppError('log_unavailable', `${topic}/${partition} cannot be read from ${numbers.offset}, though more was committed.`)
    } else {
      await sleep(Math.min(maxPollMs, 2 + (now - stillSince) / 4))
    }
  }
  numbers = await expireAll(deps, partition, { ...numbers, newestEndMs: Math.max(numbers.newestEndMs, endMs) }, signal)
  progress.done()
  return { newestTimestampMs: numbers.newestTimestampMs, applied: progress.applied }
}

function refuseWhenEnding({ closing }: CatchUpDeps, signal: AbortSignal | undefined): void {
  if (signal?.aborted || closing.aborted) throw new AppError('draining', 'The trace state is not caught up: this process is stopping.')
}

async function checkpoint(deps: CatchUpDeps, partition: number): Promise<Numbers> {
  const numbers = deps.store.tables[partition]!.numbers()
  if (numbers === null) return restart(deps, partition)
  if (numbers.logId !== deps.log.logId(topic)) return restart(deps, partition, 'the log was made anew')
  return numbers
}

/** Forgets the partition. Without a reason there is nothing to forget. */
async function restart({ log, store, logger }: CatchUpDeps, partition: number, reason?: string): Promise<Numbers> {
  const { lowWatermark } = (await log.describe()).find(({ spec }) => spec.name === topic)!.partitions[partition]!
  if (reason !== undefined)
    logger.warn({ partition, from: lowWatermark, reason }, 'the trace state of a partition is read again from the log')
  const numbers = emptyNumbers(log.logId(topic), lowWatermark)
  await store.write(partition, { clear: true, operations: [], numbers })
  return numbers
}

async function readFrom(deps: CatchUpDeps, partition: number, numbers: Numbers): Promise<{ batch: FetchedBatch; numbers: Numbers }> {
  for (let restarts = 0; ; restarts++) {
    try {
      return { batch: await deps.log.read(topic, partition, numbers.offset, readBytes), numbers }
    } catch (error) {
      if (!isAppError(error) || error.code !== 'offset_out_of_range' || restarts === maxRestarts) throw error
      numbers = await restart(deps, partition, error.message)
    }
  }
}

/** Offset and records together, in transactions of bounded size. */
async function apply(deps: CatchUpDeps, partition: number, numbers: Numbers, batch: FetchedBatch, progress: Progress): Promise<Numbers> {
  const { records, nextOffset } = batch
  for (let from = 0; from < records.length; from += maxRecords) {
    const run = records.slice(from, from + maxRecords)
    const offset = records[from + maxRecords]?.offset ?? nextOffset
    const changes = changesOf(run, progress)
    numbers = await commit(deps, partition, { ...numbers, offset, newestTimestampMs: run.at(-1)!.timestampMs }, changes)
    progress.applied += run.length
  }
  // Holes only.
  return nextOffset > numbers.offset ? commit(deps, partition, { ...numbers, offset: nextOffset }, []) : numbers
}

function changesOf(records: readonly LogRecord[], progress: Progress): Change[] {
  return records.flatMap(record => {
    const change = changeOf(record)
    if (change === null) progress.skip(record.offset)
    return change ?? []
  })
}

async function commit(deps: CatchUpDeps, partition: number, numbers: Numbers, changes: readonly Change[]): Promise<Numbers> {
  const limits = { retentionMs: deps.retentionMs, maxExpired }
  const folded = await fold(deps.store.tables[partition]!, numbers, changes, limits)
  await deps.store.write(partition, folded)
  return folded.numbers
}

/** What has expired is gone before anybody asks, whatever a former process left. */
async function expireAll(deps: CatchUpDeps, partition: number, numbers: Numbers, signal: AbortSignal | undefined): Promise<Numbers> {
  const table = deps.store.tables[partition]!
  while (table.windowsBefore(horizonOf(numbers.newestEndMs, deps.retentionMs), 1).length > 0) {
    refuseWhenEnding(deps, signal)
    numbers = await commit(deps, partition, numbers, [])
  }
  return numbers
}

function isApplied({ store, retentionMs }: CatchUpDeps, partition: number, { newestEndMs }: Numbers, { key, value }: NewRecord): boolean {
  const change = changeOf({ topic, partition, offset: 0, key, value })
  if (change === null) return true
  const { traceKey, firstOffset, window } = change
  const table = store.tables[partition]!
  const known = table.entries(idOf(traceKey)).find(entry => entry.firstOffset === firstOffset)
  if (window === null) return known === undefined
  if (known === undefined) return window.endMs < horizonOf(newestEndMs, retentionMs)
  // A later generation of the same window proves it as well: repairs whose answer was lost are not known to their owner.
  return decodeTraceWindow(table.record(known)).generation >= decodeTraceWindow(window.record).generation
}

// Carries out the deletions of the topic `commands`, one partition at a time. The executor hides the rows immediately. Writers that do not
// know of the deletion yet can insert more rows. The executor therefore hides rows again and again, until no writer can insert such rows.
// Then it deletes the rows. The executor also sets the flags that clients gave to traces (bookmarked, public). The executor sets a flag
// again at the same intervals (`Schedule`) at which it hides the rows of a deletion again. All deletions before the committed offset are
// complete. The partition's next owner repeats the deletions after this offset.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeadLetterCleaner } from '@svc-server/dead-letters/clean'
import type { Denied } from '@svc-server/deletions/denials'
import { type Flag, flagBy } from '@svc-server/deletions/flags'
import { commandIn, deniedBy } from '@svc-server/deletions/read-denials'
import { isAppError } from '@svc-server/errors'
import type { BatchOutcome, EventLog, LogRecord, OwnedPartition } from '@svc-server/log'
import type { Command } from '@svc-server/schema/command'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import type { Logger } from '@svc-server/service/logs'
import type { FlagRows } from './flag-rows.ts'
import { endsOf, isPast, type LogEnds } from './passed.ts'
import type { DeletableRows } from './rows.ts'
import type { DeletedScore } from './statements.ts'

export interface Finished extends Denied {
  readonly acceptedAtMs: number
}

export interface ExecutorDeps {
  readonly log: Pick<EventLog, 'read' | 'describe' | 'committed'>
  readonly rows: DeletableRows
  readonly flags: FlagRows
  readonly deadLetters: Pick<DeadLetterCleaner, 'clean'>
  /** Consumer group of the writers. */
  readonly group: string
  readonly topics: readonly string[]
  readonly logger: Logger
  /** Called with finished deletions, possibly twice for the same deletion. */
  readonly onFinished: (finished: readonly Finished[]) => Promise<void>
  readonly schedule?: Schedule
}

export interface Schedule {
  readonly pollMs: number
  /**
   * Times at which the executor hides the rows of a deletion, counted from the arrival of the deletion. Some writers do not know of the
   * deletion at first, and still insert rows that the deletion covers. Writers insert most such rows before the final time in `sweepsMs`.
   */
  readonly sweepsMs: readonly number[]
  /** Interval at which the executor hides the rows of the deletion again, after the final time in `sweepsMs`. */
  readonly everyMs: number
  /** This long after the arrival of a deletion, every writer knows of the deletion or has stopped storing rows. */
  readonly knownMs: number
  /**
   * When the executor reads a command that sets a flag of a trace, spans of the trace can be waiting in the propagator's window. The
   * propagator publishes all of these spans within this time.
   */
  readonly windowsMs: number
  readonly removalMs: number
  /** Interval at which the flags of traces are set again (`standing-flags.ts`). The default is ten minutes. */
  readonly standingMs?: number
  readonly deadLettersMs?: number
}

const defaultSchedule: Schedule = {
  pollMs: 500,
  sweepsMs: [0, 5_000, 30_000],
  everyMs: 120_000,
  knownMs: 12_000,
  windowsMs: 480_000,
  removalMs: 3_000,
}
const readBytes = 1 << 20
/** Maximum unfinished deletions of one partition. */
const maxEntries = 10_000

interface Entry {
  /** Exactly one of `deleted`, `flag` and `score` is set. */
  readonly deleted: Finished | null
  readonly flag: Flag | null
  readonly score: DeletedScore | null
  readonly offset: number
  /** Time at which the executor read the command, on the monotonic clock. */
  readonly seenMs: number
  sweeps: number
  /** Earliest time of the next check for remaining rows, on the monotonic clock. */
  removeMs: number
  ends: LogEnds | null
}

const deletionsOf = (entries: readonly Entry[]): readonly Finished[] => entries.flatMap(({ deleted }) => deleted ?? [])
const scoresOf = (entries: readonly Entry[]): readonly DeletedScore[] => entries.flatMap(({ score }) => score ?? [])
const flagsOf = (entries: readonly Entry[]): readonly Flag[] => entries.flatMap(({ flag }) => flag ?? [])

function lastFlagsOf(entries: readonly Entry[]): readonly Entry[] {
  const keyOf = ({ projectId, traceId, name }: Flag) => JSON.stringify([projectId, traceId, name])
  const last = new Map(entries.flatMap(entry => (entry.flag === null ? [] : [[keyOf(entry.flag), entry] as const])))
  return last.size === 0 ? entries : entries.filter(entry => entry.flag === null || last.get(keyOf(entry.flag)) === entry)
}

/**
 * Returns the score that the command deletes. The executor hides a row of the score if the row's `event_ts` is not later than the time of
 * the command's record. Some records of the score can still be on the log, unread by the writers. The executor therefore waits until the
 * writers have read up to the end of the log. Then all these records are stored, and the executor hides the rows once more.
 */
const scoreBy = ({ kind, projectId, traceId }: Command, { timestampMs }: LogRecord): DeletedScore | null =>
  kind === 'delete_score' && traceId !== null ? { projectId, id: traceId, untilMs: timestampMs } : null

export interface Executor {
  /** The work function for `EventLog.own`. */
  work(partition: OwnedPartition): Promise<BatchOutcome>
  readonly pending: number
  /** Age in milliseconds of the oldest unfinished deletion; 0 if there is none. */
  readonly oldestMs: number
}

export function createExecutor(deps: ExecutorDeps): Executor {
  const { log, rows, flags, deadLetters, group, topics, logger, onFinished, schedule = defaultSchedule } = deps
  const { pollMs, sweepsMs, everyMs, knownMs, windowsMs, removalMs } = schedule
  const working = new Map<number, readonly Entry[]>()

  function entryOf(record: LogRecord): Entry | null {
    try {
      const command = commandIn(record)
      if (command === null) return null
      const [denied, flag, score] = [deniedBy(command), flagBy(command), scoreBy(command, record)]
      if (denied === null && flag === null && score === null) return null
      const deleted = denied && { ...denied, acceptedAtMs: command.acceptedAtMs }
      return { deleted, flag, score, offset: record.offset, seenMs: performance.now(), sweeps: 0, removeMs: 0, ends: null }
    } catch (error) {
      if (!(error instanceof UndecodableRecord)) throw error
      const { partition, offset } = record
      logger.error({ err: error, partition, offset }, 'A command cannot be read and is not executed')
      return null
    }
  }

  const nextSweepMs = ({ seenMs, sweeps }: Entry): number =>
    seenMs + (sweepsMs[sweeps] ?? (sweepsMs.at(-1) ?? 0) + (sweeps - sweepsMs.length + 1) * everyMs)

  async function sweep(entries: readonly Entry[], nowMs: number): Promise<void> {
    const due = entries.filter(entry => nowMs >= nextSweepMs(entry))
    if (due.length === 0) return
    await rows.hide(deletionsOf(due))
    await rows.hideScores(scoresOf(due))
    await flags.set(flagsOf(due))
    for (const entry of due) entry.sweeps += 1
  }

  /** Returns the settled entries. An entry is settled if no writer can still insert a row to which the entry applies. */
  async function settled(entries: readonly Entry[], nowMs: number): Promise<readonly Entry[]> {
    const fresh = entries.filter(({ ends, seenMs, flag }) => ends === null && nowMs - seenMs >= (flag === null ? knownMs : windowsMs))
    if (fresh.length > 0) {
      const ends = await endsOf(log, topics)
      for (const entry of fresh) entry.ends = ends
    }
    const done: Entry[] = []
    for (const [ends, same] of Map.groupBy(entries, entry => entry.ends)) {
      if (ends !== null && (await isPast(log, group, ends))) for (const entry of same) done.push(entry)
    }
    return done
  }

  async function carryOut(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const nowMs = performance.now()
    await sweep(entries, nowMs)
    const ready = (await settled(entries, nowMs)).filter(({ removeMs }) => nowMs >= removeMs)
    if (ready.length === 0) return entries
    for (const entry of ready) entry.removeMs = nowMs + removalMs
    await rows.hideScores(scoresOf(ready))
    await flags.set(flagsOf(ready))
    const done = new Set(ready.filter(({ deleted }) => deleted === null))
    const deletions = deletionsOf(ready)
    if (deletions.length > 0 && (await removed(deletions))) for (const entry of ready) done.add(entry)
    return entries.filter(entry => !done.has(entry))
  }

  async function removed(deletions: readonly Finished[]): Promise<boolean> {
    // Writers can have inserted rows since the last sweep. The executor hides these rows as well, because a reader could otherwise see
    // some of them until the deletion has ended.
    await rows.hide(deletions)
    if (!(await rows.remove(deletions)) || !(await deadLetters.clean())) return false
    await onFinished(deletions)
    const projects = new Set(deletions.map(({ projectId }) => projectId)).size
    logger.info({ deletions: deletions.length, projects }, 'Executed deletions')
    return true
  }

  return {
    get pending() {
      return [...working.values()].reduce((sum, entries) => sum + deletionsOf(entries).length, 0)
    },
    get oldestMs() {
      const firsts = [...working.values()].flatMap(entries => entries.find(({ deleted }) => deleted !== null) ?? [])
      const nowMs = performance.now()
      return firsts.reduce((oldest, { seenMs }) => Math.max(oldest, nowMs - seenMs), 0)
    },

    async work({ topic, partition, committed, signal, commit }) {
      let position = committed?.offset ?? (await lowWatermark(topic, partition))
      let stored = position
      let entries: readonly Entry[] = []
      try {
        while (!signal.aborted) {
          let isAtEnd = false
          if (entries.length < maxEntries) {
            const batch = await log.read(topic, partition, position, readBytes)
            const come = batch.records.flatMap(record => entryOf(record) ?? [])
            position = Math.max(position, batch.nextOffset)
            isAtEnd = position >= batch.highWatermark
            entries = lastFlagsOf([...entries, ...come])
          }
          working.set(partition, entries)
          entries = await carryOut(entries).catch((error: unknown) => {
            if (!isAppError(error)) throw error
            isAtEnd = true
            logger.warn({ err: error, partition, deletions: entries.length }, 'Deletions cannot be executed at the moment, and are retried')
            return entries
          })
          working.set(partition, entries)
          const done = entries[0]?.offset ?? position
          if (done > stored) {
            await commit(done, '')
            stored = done
          }
          if (isAtEnd && entries.length === 0) return { kind: 'done' }
          if (isAtEnd || entries.length >= maxEntries) await sleep(pollMs, undefined, { signal }).catch(() => {})
        }
        return { kind: 'done' }
      } finally {
        working.delete(partition)
      }
    },
  }

  async function lowWatermark(topic: string, partition: number): Promise<number> {
    const described = (await log.describe()).find(({ spec }) => spec.name === topic)
    return described?.partitions.find(one => one.partition === partition)?.lowWatermark ?? 0
  }
}

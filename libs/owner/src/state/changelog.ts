// A local state that is computed only from the records of one topic. This topic is called the changelog of the state. `readOn` reads a
// partition of the changelog from a checkpoint to the end of the partition. The `Fold` defines how a record changes the state.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog, FetchedBatch, NewRecord, TopicSpec } from '@svc-server/log'
import type { TopicName } from '@svc-server/modes/names'
import type { Logger } from '@svc-server/service/logs'
import type { Database } from 'lmdb'
import { createProgress, type Progress } from './progress.ts'
import { openStore, type Store, type Write } from './store.ts'
import { createTurns } from './turns.ts'

/**
 * The position up to which the state contains a partition's records. A transaction that applies records to the state also writes the
 * checkpoint after these records.
 */
export interface Checkpoint {
  readonly logId: string
  /** Offset of the first record that has not been applied. */
  readonly offset: number
}

export interface Target<Table, Numbers> {
  readonly table: Table
  write(write: Write<Numbers>): Promise<void>
  /** Called between two transactions. Throws `draining` if the read was aborted or the state is closing. */
  refuseWhenEnding(): void
}

export interface Fold<Table, Numbers extends Checkpoint> {
  readonly topic: TopicName
  /** Name of the state for log lines and errors, with a capital letter: "The trace state". */
  readonly name: string
  readonly readBytes: number
  readonly createTable: (files: Database<Buffer, Buffer>) => Table
  /** Returns the table's checkpoint and other numbers. Returns null if the table has no checkpoint yet, or an unreadable checkpoint. */
  readonly numbersOf: (table: Table) => Numbers | null
  readonly emptyNumbers: (logId: string, offset: number) => Numbers
  /** Applies the records in transactions of bounded size. Rejects with `record_undecodable` if a newer version of svc wrote a record. */
  readonly apply: (to: Target<Table, Numbers>, numbers: Numbers, batch: FetchedBatch, progress: Progress) => Promise<Numbers>
  readonly isApplied: (table: Table, numbers: Numbers, record: NewRecord) => boolean
}

export interface ChangelogOptions {
  readonly directory: string
  readonly log: EventLog
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /**
   * Called after an unexpected failure, such as damaged files. The process must then end, and the next process begins with empty files.
   */
  readonly onFault?: ((error: unknown) => void) | undefined
  readonly progressMs?: number | undefined
}

export interface ReadOnOptions {
  /**
   * The newest record that this process has committed to the changelog. Reading continues until this record appears, because a broker
   * acknowledges a commit before its records are readable.
   */
  readonly last?: NewRecord | undefined
  /** The high watermark of the changelog. The read is complete only when it has reached this offset. */
  readonly end?: number | undefined
  /** When the signal aborts, the read stops after the current batch and rejects with `draining`. */
  readonly signal?: AbortSignal | undefined
}

interface ReadOn<Numbers> {
  readonly numbers: Numbers
  /** Number of records read. */
  readonly applied: number
}

export interface Changelog<Table, Numbers extends Checkpoint> {
  /**
   * Reads the changelog to its end, then runs `after`. The partition's state is rebuilt from the start if its checkpoint belongs to a
   * different log, or to an offset that is no longer on the log. Calls for one partition run one after the other. Rejects with the errors
   * of `EventLog.read` and of the fold, and with `state_unavailable` if the disk refuses a write. After an error, the caller can call
   * again.
   */
  readOn(
    partition: number,
    options: ReadOnOptions,
    after?: (to: Target<Table, Numbers>, numbers: Numbers) => Promise<Numbers>,
  ): Promise<ReadOn<Numbers>>
  /** Runs a query on the partition's table. */
  ask<T>(partition: number, question: (table: Table) => T): T
  readonly tables: readonly Table[]
  bytesOnDisk(): number
  close(): Promise<void>
}

const readableWithinMs = 10_000
const maxPollMs = 50
const maxRestarts = 3
/** Maximum number of batches in memory. While one partition's batch is applied, another partition's batch can already be read. */
const concurrentBatches = 2

/**
 * Deletes untrusted files, and then opens the state. Files are untrusted if they are damaged, have a different version, or were not yet on
 * disk when the machine stopped. Rejects with `state_unavailable`, or with the errors of `EventLog.describe`.
 */
export async function openChangelog<Table, Numbers extends Checkpoint>(
  fold: Fold<Table, Numbers>,
  { directory, log, logger, onFault, progressMs = 3_000 }: ChangelogOptions,
): Promise<Changelog<Table, Numbers>> {
  const { topic, name } = fold
  const inSentence = `${name[0]!.toLowerCase()}${name.slice(1)}`
  const describe = async () => {
    const described = (await log.describe()).find(({ spec }) => spec.name === topic)
    if (described === undefined) throw new Error(`${topic} is not a topic of the log.`)
    return described
  }
  const spec: TopicSpec = (await describe()).spec
  const store: Store<Table, Numbers> = openStore({ directory, name, createTable: fold.createTable, partitions: spec.partitions, logger })
  const turns = createTurns(concurrentBatches)
  const running = new Map<number, Promise<unknown>>()
  const closing = new AbortController()

  const fail = (error: unknown): never => {
    // Every expected error is an AppError. Any other error therefore means that the files are damaged.
    if (isAppError(error)) throw error
    logger.error(
      { err: error, directory },
      `${inSentence} failed, so its files are no longer trusted; the next process that opens them rebuilds them from the log`,
    )
    onFault?.(error)
    store.markDamaged(error)
    throw error
  }
  const tableOf = (partition: number): Table => {
    const table = store.tables[partition]
    if (table === undefined) throw new RangeError(`${topic} has no partition ${partition}.`)
    return table
  }

  /** `reason` explains why an old state is deleted. */
  async function restart(partition: number, reason?: string): Promise<Numbers> {
    const { lowWatermark } = (await describe()).partitions[partition]!
    if (reason !== undefined) logger.warn({ partition, from: lowWatermark, reason }, `${inSentence} of a partition is rebuilt from the log`)
    const numbers = fold.emptyNumbers(log.logId(topic), lowWatermark)
    await store.write(partition, { clear: true, operations: [], numbers })
    return numbers
  }

  async function checkpoint(partition: number): Promise<Numbers> {
    const numbers = fold.numbersOf(tableOf(partition))
    if (numbers === null) return restart(partition)
    return numbers.logId === log.logId(topic) ? numbers : restart(partition, 'the log was recreated')
  }

  async function readFrom(partition: number, from: Numbers): Promise<{ batch: FetchedBatch; numbers: Numbers }> {
    let numbers = from
    for (let restarts = 0; ; restarts++) {
      try {
        return { batch: await log.read(topic, partition, numbers.offset, fold.readBytes), numbers }
      } catch (error) {
        if (!isAppError(error) || error.code !== 'offset_out_of_range' || restarts === maxRestarts) throw error
        numbers = await restart(partition, error.message)
      }
    }
  }

  const targetOf = (partition: number, signal: AbortSignal | undefined): Target<Table, Numbers> => ({
    table: tableOf(partition),
    write: write => store.write(partition, write),
    refuseWhenEnding() {
      if (signal?.aborted || closing.signal.aborted) throw new AppError('draining', `${name} is not caught up: this process is stopping.`)
    },
  })

  async function toTheEnd(
    partition: number,
    { last, end: knownEnd = 0, signal }: ReadOnOptions,
    after: (to: Target<Table, Numbers>, numbers: Numbers) => Promise<Numbers>,
  ): Promise<ReadOn<Numbers>> {
    const to = targetOf(partition, signal)
    const progress = createProgress({ logger, progressMs, name: inSentence, topic }, partition)
    let numbers = await checkpoint(partition)
    for (let stillSince = performance.now(); ; ) {
      to.refuseWhenEnding()
      const before = numbers
      const end = await turns.run(async () => {
        const read = await readFrom(partition, numbers)
        const { batch } = read
        numbers = batch.nextOffset > read.numbers.offset ? await fold.apply(to, read.numbers, batch, progress) : read.numbers
        return Math.max(knownEnd, batch.highWatermark)
      })
      progress.report(numbers.offset, end)
      if (numbers.offset >= end && (last === undefined || fold.isApplied(to.table, numbers, last))) break
      const now = performance.now()
      if (numbers.offset !== before.offset) stillSince = now
      else if (now - stillSince > readableWithinMs)
        throw new AppError(
          'log_unavailable',
          `${topic}/${partition} cannot be read from offset ${numbers.offset}, although later offsets were committed.`,
        )
      else await sleep(Math.min(maxPollMs, 2 + (now - stillSince) / 4))
    }
    numbers = await after(to, numbers)
    progress.done()
    return { numbers, applied: progress.applied }
  }

  return {
    tables: store.tables,
    bytesOnDisk: store.bytesOnDisk,

    async readOn(partition, options, after = async (_, numbers) => numbers) {
      tableOf(partition)
      const before = running.get(partition)
      const run = (async () => {
        await before?.catch(() => {})
        return toTheEnd(partition, options, after).catch(fail).finally(store.prove)
      })()
      running.set(partition, run)
      return run
    },

    ask(partition, question) {
      const table = tableOf(partition)
      try {
        return question(table)
      } catch (error) {
        return fail(error)
      }
    },

    async close() {
      closing.abort()
      await Promise.allSettled(running.values())
      await store.close()
    },
  }
}

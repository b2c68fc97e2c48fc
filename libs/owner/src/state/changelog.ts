// A local state that folds a topic, its changelog. It reads from a checkpoint to the end, partition by partition.
// This is the only way in which the state changes, live and after a loss. The fold defines the effect of a record.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog, FetchedBatch, NewRecord, TopicSpec } from '@svc-server/log'
import type { TopicName } from '@svc-server/modes/names'
import type { Logger } from '@svc-server/service/logs'
import type { Database } from 'lmdb'
import { createProgress, type Progress } from './progress.ts'
import { openStore, type Store, type Write } from './store.ts'
import { createTurns } from './turns.ts'

/** Checkpoint of a partition, written in the same transaction as the records applied up to it. */
export interface Checkpoint {
  /** The log that the offset belongs to. */
  readonly logId: string
  /** First offset of the changelog that is not applied. */
  readonly offset: number
}

/** Receives a partition's records. */
export interface Target<Table, Numbers> {
  readonly table: Table
  write(write: Write<Numbers>): Promise<void>
  /** Called between two transactions. Throws `draining` when the caller no longer needs the remaining records. */
  refuseWhenEnding(): void
}

export interface Fold<Table, Numbers extends Checkpoint> {
  readonly topic: TopicName
  /** Begins sentences: "The trace state". */
  readonly name: string
  /** Bytes of a batch. */
  readonly readBytes: number
  readonly createTable: (files: Database<Buffer, Buffer>) => Table
  /** Returns null when nothing has been applied yet, or when the numbers are unreadable. */
  readonly numbersOf: (table: Table) => Numbers | null
  /** Numbers of an empty table. */
  readonly emptyNumbers: (logId: string, offset: number) => Numbers
  /**
   * Applies records and offset together, in transactions of bounded size. Rejects with `record_undecodable` for
   * records of a newer version.
   */
  readonly apply: (to: Target<Table, Numbers>, numbers: Numbers, batch: FetchedBatch, progress: Progress) => Promise<Numbers>
  /** Returns whether the state contains a record that was committed here. */
  readonly isApplied: (table: Table, numbers: Numbers, record: NewRecord) => boolean
}

export interface ChangelogOptions {
  /** Directory of this state alone. It may be lost: the state is rebuilt from the log. */
  readonly directory: string
  readonly log: EventLog
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /**
   * Called on an unexpected failure, such as damaged files. This process cannot continue; the next one to open the
   * files begins with empty ones.
   */
  readonly onFault?: ((error: unknown) => void) | undefined
  /** Time between two log lines about a long restore. */
  readonly progressMs?: number | undefined
}

export interface ReadOnOptions {
  /**
   * The newest record committed to this partition's changelog. A broker acknowledges a commit before its records are
   * readable, so the end is not reached before this record has appeared.
   */
  readonly last?: NewRecord | undefined
  /** Minimum end of the changelog, from its watermark. A read that ends before is still incomplete. */
  readonly end?: number | undefined
  /** Aborts between two batches with `draining`. Records already applied stay. */
  readonly signal?: AbortSignal | undefined
}

interface ReadOn<Numbers> {
  readonly numbers: Numbers
  /** Records read by this call. */
  readonly applied: number
}

export interface Changelog<Table, Numbers extends Checkpoint> {
  /**
   * Reads to the end. A checkpoint of another log, or one that the log no longer has, is dropped, and the partition
   * is read again. Calls for one partition run one after the other. `after` runs at the end. Rejects as
   * `EventLog.read` and the fold do, and with `state_unavailable` when the disk refuses a write; applied records
   * stay, and the caller may call again.
   */
  readOn(
    partition: number,
    options: ReadOnOptions,
    after?: (to: Target<Table, Numbers>, numbers: Numbers) => Promise<Numbers>,
  ): Promise<ReadOn<Numbers>>
  /** Queries the partition's table. Any unexpected error means that the files are damaged. */
  ask<T>(partition: number, question: (table: Table) => T): T
  readonly tables: readonly Table[]
  bytesOnDisk(): number
  close(): Promise<void>
}

const readableWithinMs = 10_000
const maxPollMs = 50
const maxRestarts = 3
/**
 * Few partitions work at a time, which bounds the batches in memory: one reads and folds while another waits for its
 * transaction.
 */
const concurrentBatches = 2

/**
 * Opens the state. Untrusted files (damaged, of another version, or not yet on disk when the machine stopped) are
 * deleted. Rejects as `EventLog.describe` does, and with `state_unavailable`.
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
    // Every expected error has a code. Any other error means that the files are damaged.
    if (isAppError(error)) throw error
    logger.error(
      { err: error, directory },
      `${inSentence} failed: its files are not trusted any more, and the next process to open them reads them again from the log`,
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

  /** Drops the partition's state. Without a reason there is nothing to drop. */
  async function restart(partition: number, reason?: string): Promise<Numbers> {
    const { lowWatermark } = (await describe()).partitions[partition]!
    if (reason !== undefined)
      logger.warn({ partition, from: lowWatermark, reason }, `${inSentence} of a partition is read again from the log`)
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
        throw new AppError('log_unavailable', `${topic}/${partition} cannot be read from ${numbers.offset}, though more was committed.`)
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

// Runs the stages and a pipeline on the records that a consumer of the log receives. Only the runner commits offsets. For each chunk, the
// runner first writes an intent into the metadata of the committed offset. It then stores the chunk. Finally, it commits the next offset
// together with the chunk's dead letters. If the runner crashes, the intent stays open. The next owner of the partition rebuilds exactly
// the range of the open intent.
import { type AppError, isAppError } from '@svc-server/errors'
import type { AssignedPartition, BatchOutcome, Consumer, EventLog, FetchedBatch, LogRecord, PartitionContext } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import { type Backoff, type BackoffOptions, createBackoff, isTransient } from './backoff.ts'
import { type Chunk, type ChunkLimits, chunkOf, cutChunks, finishedPrefix, type Range, type Rejection, type Weight } from './chunk.ts'
import type { DeadLetters } from './dead-letter.ts'
import type { Tally } from './dead-letter-limit.ts'
import { envelopeOf } from './envelope.ts'
import { formatIntent, type Intent, openIntent } from './intent.ts'
import { keepAlive } from './keep-alive.ts'
import { runStage, type Stage } from './stage.ts'

export interface ChunkContext {
  readonly inDoubt: boolean
  /** The versions in the intent. If the chunk is stored again after a restart, these are the versions of the first attempt. */
  readonly versions: Readonly<Record<string, string>>
  /** The note that the pipeline wrote into the intent in an earlier attempt. */
  readonly note: string
  /**
   * Writes a note of at most a few hundred characters into the intent. If a new owner rebuilds the chunk, the new owner gets the note.
   * Rejects if the commit fails.
   */
  annotate(note: string): Promise<void>
  readonly backoff: Backoff
}

interface Prepared {
  /** Items of the chunk that cannot be stored. They become dead letters when the chunk is acknowledged. */
  readonly rejected: readonly Rejection[]
  /**
   * Stores all items except `rejected`. Resolves with the items that the store refused, which also become dead letters. If the promise
   * rejects with an AppError, the partition pauses and the intent stays open. If the promise rejects with any other error, the consumer
   * halts.
   */
  store(): Promise<readonly Rejection[]>
}

export interface Pipeline<T> {
  /** Versions that determine the rows of a chunk. The runner writes these versions into the chunk's intent. */
  readonly versions: Readonly<Record<string, string>>
  /** The runner calls this function only for a chunk that has at least one item or rejection. */
  prepare(chunk: Chunk<T>, context: ChunkContext): Promise<Prepared>
}

export interface RunnerEvents<T> {
  assigned(partitions: readonly AssignedPartition[]): void
  replaying(chunk: Chunk<T>, intent: Intent): void
  acknowledged(chunk: Chunk<T>, rejected: readonly Rejection[]): void
  waiting(cause: AppError, ms: number): void
  deferred(at: { topic: string; partition: number }, cause: AppError): void
  /** Called if another consumer has taken over the partition. `cause` is the error by which the runner noticed the takeover. */
  fenced(at: { topic: string; partition: number }, cause: AppError): void
  /** Called when a partition pauses because of a failure that only an operator can fix. The runner retries at long intervals. */
  partitionHalted(at: { topic: string; partition: number }, cause: AppError): void
  /** Called when a bug or an error of the log has ended the consumer. */
  halted(cause: unknown): void
}

export interface RunnerOptions<T> {
  readonly log: EventLog
  readonly group: string
  readonly topics: readonly string[]
  readonly fetch: { readonly minBytes: number; readonly maxWaitMs: number; readonly maxBatchBytes: number }
  /** Maximum number of partitions with chunks in progress. */
  readonly concurrency: number
  /** Topics with lower priority. The other topics never wait for these topics. */
  readonly background?: readonly string[]
  readonly stage: Stage<Uint8Array, T>
  readonly weigh: (payload: T) => Weight
  /** Returns the number of items in a record. Without this function, the number of items is `weigh(payload).rows`. */
  readonly itemsOf?: (payload: T) => number
  /**
   * Returns the owner of a record's items, such as a project. Errors that our code throws count toward a halt only if at least two owners
   * have items, and every owner with items had such an error.
   */
  readonly ownerOf: (payload: T) => string
  readonly limits: ChunkLimits
  readonly pipeline: Pipeline<T>
  readonly deadLetters: DeadLetters
  readonly backoff: BackoffOptions
  readonly pauseMs: number
  /** Length of the pause if only an operator can fix the cause of the failure. */
  readonly haltedPauseMs: number
  readonly heartbeatIntervalMs: number
  readonly clock: () => number
  readonly events: RunnerEvents<T>
}

export interface Runner {
  start(): Promise<void>
  drain(): Promise<void>
}

/**
 * The handler stops after this time, before the next chunk of the batch, so that other partitions can run. The log then delivers the rest
 * of the batch again, which takes a few milliseconds.
 */
const turnMs = 500

const keyOf = (at: { topic: string; partition: number }) => `${at.topic}/${at.partition}`

export function createRunner<T>(options: RunnerOptions<T>): Runner {
  const { log, pipeline, deadLetters, events } = options
  const intents = new Map<string, Intent>()
  let consumer: Consumer | null = null

  async function onAssigned(partitions: readonly AssignedPartition[]) {
    intents.clear()
    events.assigned(partitions)
    return partitions.flatMap(({ topic, partition, committed }) => {
      const intent = openIntent(committed)
      if (intent === null) return []
      intents.set(keyOf({ topic, partition }), intent)
      return [{ topic, partition, until: intent.last + 1 }]
    })
  }

  async function onBatch(batch: FetchedBatch, context: PartitionContext): Promise<BatchOutcome> {
    const alive = keepAlive(context, options.heartbeatIntervalMs)
    try {
      const { chunks, blocked } = await split(batch)
      const turnEndsMs = options.clock() + turnMs
      for (const [index, chunk] of chunks.entries()) {
        if (alive.signal.aborted || (index > 0 && options.clock() >= turnEndsMs)) return { kind: 'done' }
        await settle(chunk, context, alive.signal)
      }
      if (blocked === null) return { kind: 'done' }
      events.deferred(batch, blocked.cause)
      return { kind: 'pause', afterMs: blocked.retryAfterMs }
    } catch (error) {
      if (isAppError(error) && error.code === 'fenced') {
        // The next owner of the partition finds the intent in the log, and checks which rows of the chunk are already stored.
        intents.delete(keyOf(batch))
        events.fenced(batch, error)
        return { kind: 'done' }
      }
      if (isTransient(error)) {
        events.deferred(batch, error)
        return { kind: 'pause', afterMs: options.pauseMs }
      }
      if (!isAppError(error)) throw error
      events.partitionHalted(batch, error)
      return { kind: 'pause', afterMs: options.haltedPauseMs }
    } finally {
      alive.stop()
    }
  }

  /** Splits the batch into chunks without gaps. If an intent is open, the first chunk is exactly the intent's range. */
  async function split(fetched: FetchedBatch) {
    const intent = intents.get(keyOf(fetched)) ?? null
    const batch = intent === null ? fetched : await reaching(fetched, intent.last)
    const envelopes = batch.records.map(envelopeOf)
    const results = await runStage(options.stage, envelopes)
    const prefix = finishedPrefix(envelopes.map((envelope, index) => ({ envelope, result: results[index]! })))
    const unfinished = results[prefix.length]
    const blocked = unfinished?.kind === 'defer' ? unfinished : null
    const end = blocked === null ? batch.nextOffset : envelopes[prefix.length]!.position.offset

    const { topic, partition } = batch
    const chunks: Chunk<T>[] = []
    let rest = prefix
    let first = batch.records[0]?.offset ?? end
    if (intent !== null) {
      if (end <= intent.last) return { chunks, blocked }
      const within = prefix.filter(({ envelope }) => envelope.position.offset <= intent.last)
      chunks.push(chunkOf({ topic, partition, first: intent.first, last: intent.last }, within))
      rest = prefix.slice(within.length)
      first = intent.last + 1
    }
    const range: Range = { topic, partition, first, last: end - 1 }
    if (rest.length > 0) for (const chunk of cutChunks(range, rest, options.limits, options.weigh)) chunks.push(chunk)
    else if (first < end || batch.records.length === 0) chunks.push(chunkOf(range, []))
    return { chunks, blocked }
  }

  /** Extends a batch to the end of an open intent's range. If the batch ends earlier, the function reads the missing records. */
  async function reaching(batch: FetchedBatch, last: number): Promise<FetchedBatch> {
    const records: LogRecord[] = [...batch.records]
    let { nextOffset } = batch
    while (nextOffset <= last) {
      const { topic, partition } = batch
      const more = await readWithin(log, { topic, partition, from: nextOffset, until: last + 1 }, options.fetch.maxBatchBytes)
      for (const record of more.records) records.push(record)
      nextOffset = more.nextOffset
    }
    return { ...batch, records, nextOffset }
  }

  async function settle(chunk: Chunk<T>, context: PartitionContext, signal: AbortSignal): Promise<void> {
    const key = keyOf(chunk)
    const announced = intents.get(key)
    const backoff = createBackoff(options.backoff, { clock: options.clock, signal, onWait: events.waiting })
    let rejected = chunk.rejected

    if (chunk.items.length + chunk.rejected.length > 0) {
      if (announced !== undefined) events.replaying(chunk, announced)
      const intent = announced ?? { first: chunk.first, last: chunk.last, versions: pipeline.versions, note: '' }
      // A refused commit means that the partition has a different owner.
      const announce = async (current: Intent) => {
        await backoff.retry(() => context.commit(current.first, formatIntent(current)))
        intents.set(key, current)
      }
      await announce(intent)
      const annotate = (note: string) => announce({ ...intent, note })
      const { versions, note } = intent
      const prepared = await pipeline.prepare(chunk, { inDoubt: announced !== undefined, versions, note, annotate, backoff })
      deadLetters.admit(tallyOf(chunk, prepared.rejected))
      rejected = [...prepared.rejected, ...(await prepared.store())]
    }

    const appends = deadLetters.appends(chunk, rejected)
    const next = chunk.last + 1
    await backoff.retry(() => (appends.size > 0 ? context.commitWith(next, '', appends) : context.commit(next, '')))
    intents.delete(key)
    deadLetters.acknowledged(tallyOf(chunk, rejected))
    events.acknowledged(chunk, rejected)
  }

  function tallyOf(chunk: Chunk<T>, rejected: readonly Rejection[]): Tally {
    const { itemsOf = payload => options.weigh(payload).rows } = options
    const items = new Map(chunk.items.map(({ position, payload }) => [position.offset, itemsOf(payload)]))
    return {
      items: [...items.values()].reduce((sum, count) => sum + count, 0) + chunk.rejected.length,
      owners: new Set(chunk.items.map(({ payload }) => options.ownerOf(payload))),
      rejected,
      itemsOf: ({ offset, index }) => (index === null ? (items.get(offset) ?? 1) : 1),
    }
  }

  return {
    async start() {
      consumer = await log.consume({
        group: options.group,
        topics: options.topics,
        ...options.fetch,
        concurrency: options.concurrency,
        ...(options.background ? { background: options.background } : {}),
        onAssigned,
        onBatch,
        onPartitionHalted: events.partitionHalted,
        onFatal: events.halted,
      })
    },
    async drain() {
      await consumer?.stop()
      consumer = null
    },
  }
}

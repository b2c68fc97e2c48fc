// Runs stages and a pipeline over a consumer of the log. Only the runner moves offsets, and only in this order: it
// announces a chunk (an intent in the offset's metadata), stores it, and acknowledges it together with its dead
// letters. A crash at any point leaves either no intent and nothing stored, or an intent that the next owner rebuilds
// to exactly its range.
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
  /** True when an earlier try may have stored the chunk, wholly or in part. */
  readonly inDoubt: boolean
  /** The versions in the chunk's intent: those of the current try or, after a restart, of the first one. */
  readonly versions: Readonly<Record<string, string>>
  /** The note that the pipeline wrote into the intent during an earlier try, or empty. */
  readonly note: string
  /**
   * Writes a note of at most a few hundred characters into the intent, for the next owner that rebuilds the chunk.
   * Rejects as a commit does.
   */
  annotate(note: string): Promise<void>
  readonly backoff: Backoff
}

interface Prepared {
  /** All bad items of the chunk. They become dead letters when the chunk is acknowledged. */
  readonly rejected: readonly Rejection[]
  /**
   * Resolves when everything else is stored, with the items that the store itself refused, which become dead letters,
   * too. An AppError keeps the intent and pauses the partition, for longer when a retry cannot help. Any other error
   * is a bug and halts the consumer.
   */
  store(): Promise<readonly Rejection[]>
}

export interface Pipeline<T> {
  /** Versions of everything, other than the records, that shapes the output. The runner writes them into the intent. */
  readonly versions: Readonly<Record<string, string>>
  /** Called for every chunk with items or rejections, but not for holes and dropped records. */
  prepare(chunk: Chunk<T>, context: ChunkContext): Promise<Prepared>
}

/** Callbacks for metrics and logs. */
export interface RunnerEvents<T> {
  /** All partitions assigned to this consumer, before their first chunk. */
  assigned(partitions: readonly AssignedPartition[]): void
  replaying(chunk: Chunk<T>, intent: Intent): void
  acknowledged(chunk: Chunk<T>, rejected: readonly Rejection[]): void
  waiting(cause: AppError, ms: number): void
  deferred(at: { topic: string; partition: number }, cause: AppError): void
  /** The chunk in progress belongs to another owner. `cause` is the error that revealed it. */
  fenced(at: { topic: string; partition: number }, cause: AppError): void
  /**
   * A partition pauses with an open intent, because only an operator can fix the cause. The runner retries it slowly,
   * and the other partitions continue.
   */
  partitionHalted(at: { topic: string; partition: number }, cause: AppError): void
  /** The consumer has ended for good, through a bug or the log itself. */
  halted(cause: unknown): void
}

export interface RunnerOptions<T> {
  readonly log: EventLog
  readonly group: string
  readonly topics: readonly string[]
  readonly fetch: { readonly minBytes: number; readonly maxWaitMs: number; readonly maxBatchBytes: number }
  /** Maximum chunks of different partitions in progress at the same time. */
  readonly concurrency: number
  /** Topics that the foreground topics do not wait for. */
  readonly background?: readonly string[]
  readonly stage: Stage<Uint8Array, T>
  readonly weigh: (payload: T) => Weight
  /** Number of items of a record that are accounted for one by one. Absent: its rows. */
  readonly itemsOf?: (payload: T) => number
  /** Owner of a record's items. Exceptions that only some owners meet do not halt the partition. */
  readonly ownerOf: (payload: T) => string
  readonly limits: ChunkLimits
  readonly pipeline: Pipeline<T>
  readonly deadLetters: DeadLetters
  readonly backoff: BackoffOptions
  /** How long a partition pauses after the back-off's budget is spent. */
  readonly pauseMs: number
  /**
   * How long a partition pauses when only an operator can fix the cause. It continues afterwards without a restart.
   */
  readonly haltedPauseMs: number
  readonly heartbeatIntervalMs: number
  readonly clock: () => number
  readonly events: RunnerEvents<T>
}

export interface Runner {
  start(): Promise<void>
  /** Finishes chunks in progress, begins no others, and leaves the group. */
  drain(): Promise<void>
}

/**
 * A batch of many expensive chunks yields its slot to other partitions between two chunks. The log then delivers its remaining records
 * again, after the waiting partitions. Reading them again takes a few milliseconds.
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
        // The next owner finds the intent and checks what was stored under it.
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

  /** Splits the batch into chunks that cover it without a gap. An open intent comes first, with exactly its range. */
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

  /**
   * Extends a batch to the end of the announced range: a fetch after a pause may be cut differently, so the missing
   * records are read directly.
   */
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
      // The announcement also fences: a refused commit means that the partition has another owner.
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

// What the merger knows of the entities of the last seven days: the topic `entities`, folded into files beside the process. It is only ever advanced by
// reading the topic, so what is there after a crash, a rebalance or the loss of the directory is what was committed.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog, FetchedBatch, NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Logger } from '@svc-server/service/logs'
import { type Operation, openStore, type Store } from '../../state/store.ts'
import { createTurns } from '../../state/turns.ts'
import { createEntityTable, type EntityNumbers, type EntityTable, encodeStored, entityId, entityKeys } from './entity-table.ts'

export interface EntityStateOptions {
  /** Of this state alone. It may be lost: it is read again from the log. */
  readonly directory: string
  readonly log: EventLog
  /** How long an entity is known after its newest record, by append time. As long as the topic keeps it. */
  readonly retentionMs: number
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

interface CatchUpOptions {
  /** The newest record that was committed here: a broker answers a commit before its records can be read. */
  readonly last?: NewRecord | undefined
  /** The topic goes at least so far. */
  readonly end?: number
  readonly signal?: AbortSignal
}

export interface EntityState {
  /** Reads on to the end of `entities`. Rejects as `EventLog.read` does, with `state_unavailable`, and with `draining`. */
  catchUp(partition: number, options?: CatchUpOptions): Promise<void>
  /** The newest record of an entity by its key; null: not known. */
  get(partition: number, key: Uint8Array): Buffer | null
  close(): Promise<void>
}

const topic = topicNames.entities
const readBytes = 4 * 1024 * 1024
/** Entities forgotten beside those of a batch: in the long run as many go as come. */
const maxExpired = 4096
const readableWithinMs = 10_000
const maxPollMs = 50
const maxRestarts = 3
const concurrentBatches = 2

/** Rejects as `EventLog.describe` does, and with `state_unavailable`. */
export async function openEntityState({ directory, log, retentionMs, logger }: EntityStateOptions): Promise<EntityState> {
  const spec = (await log.describe()).find(each => each.spec.name === topic)?.spec
  if (spec === undefined) throw new Error(`${topic} is not a topic of the log.`)
  const store: Store<EntityTable, EntityNumbers> = openStore({
    directory,
    name: 'The state of the merger',
    createTable: createEntityTable,
    partitions: spec.partitions,
    logger,
  })
  const closing = new AbortController()
  const turns = createTurns(concurrentBatches)
  const running = new Set<Promise<void>>()

  /** Everything foreseen has a code; the rest means that the files are not what was written. */
  const fail = (error: unknown): never => {
    if (isAppError(error)) throw error
    logger.error(
      { err: error, directory },
      'The state of the merger failed: the next process to open its files reads them again from the log',
    )
    store.markDamaged(error)
    throw error
  }

  async function restart(partition: number, reason?: string): Promise<EntityNumbers> {
    const { lowWatermark } = (await log.describe()).find(each => each.spec.name === topic)!.partitions[partition]!
    if (reason !== undefined) logger.warn({ partition, from: lowWatermark, reason }, 'Entities of a partition are read again from the log')
    const numbers = { logId: log.logId(topic), offset: lowWatermark, newestMs: 0 }
    await store.write(partition, { clear: true, operations: [], numbers })
    return numbers
  }

  async function readFrom(partition: number, numbers: EntityNumbers): Promise<{ batch: FetchedBatch; numbers: EntityNumbers }> {
    for (let restarts = 0; ; restarts++) {
      try {
        return { batch: await log.read(topic, partition, numbers.offset, readBytes), numbers }
      } catch (error) {
        if (!isAppError(error) || error.code !== 'offset_out_of_range' || restarts === maxRestarts) throw error
        numbers = await restart(partition, error.message)
      }
    }
  }

  /** One transaction: the records of a batch, what expires by them, and the offset. */
  async function apply(partition: number, numbers: EntityNumbers, { records, nextOffset }: FetchedBatch): Promise<EntityNumbers> {
    const table = store.tables[partition]!
    const operations = new Map<string, Operation>()
    const put = (key: Buffer, value?: Buffer) => operations.set(key.toString('latin1'), value === undefined ? { key } : { key, value })
    /** When each entity of this batch was written last: the table does not know yet. */
    const times = new Map<string, number | null>()
    let newestMs = numbers.newestMs
    for (const { key, value, timestampMs } of records) {
      newestMs = Math.max(newestMs, timestampMs)
      if (key === null) continue
      const id = entityId(key)
      const name = id.toString('latin1')
      const before = times.has(name) ? times.get(name)! : (table.get(id)?.timestampMs ?? null)
      if (before !== null) put(entityKeys.age({ timestampMs: before, id }))
      times.set(name, value === null ? null : timestampMs)
      put(entityKeys.entity(id), value === null ? undefined : encodeStored({ timestampMs, record: value }))
      if (value !== null) put(entityKeys.age({ timestampMs, id }), Buffer.alloc(0))
    }
    for (const old of table.olderThan(newestMs - retentionMs, maxExpired)) {
      put(entityKeys.age(old))
      if (!times.has(old.id.toString('latin1'))) put(entityKeys.entity(old.id))
    }
    const next = { ...numbers, offset: nextOffset, newestMs }
    await store.write(partition, { clear: false, operations: [...operations.values()], numbers: next })
    return next
  }

  const isApplied = (partition: number, { key, value }: NewRecord): boolean =>
    key === null || value === null || store.tables[partition]!.get(entityId(key))?.record.equals(value) === true

  async function catchUp(partition: number, { last, end: knownEnd = 0, signal }: CatchUpOptions): Promise<void> {
    let numbers = store.tables[partition]!.numbers() ?? (await restart(partition))
    if (numbers.logId !== log.logId(topic)) numbers = await restart(partition, 'the log was made anew')
    for (let stillSince = performance.now(); ; ) {
      if (signal?.aborted || closing.signal.aborted)
        throw new AppError('draining', 'The state of the merger is not caught up: this process is stopping.')
      const before = numbers
      const end = await turns.run(async () => {
        const read = await readFrom(partition, numbers)
        const { batch } = read
        numbers = batch.nextOffset > read.numbers.offset ? await apply(partition, read.numbers, batch) : read.numbers
        return Math.max(knownEnd, batch.highWatermark)
      })
      if (numbers.offset >= end && (last === undefined || isApplied(partition, last))) return
      const now = performance.now()
      if (numbers.offset !== before.offset) stillSince = now
      else if (now - stillSince > readableWithinMs) {
        throw new AppError('log_unavailable', `${topic}/${partition} cannot be read from ${numbers.offset}, though more was committed.`)
      } else await sleep(Math.min(maxPollMs, 2 + (now - stillSince) / 4))
    }
  }

  return {
    async catchUp(partition, options = {}) {
      const run = catchUp(partition, options).catch(fail).finally(store.prove)
      running.add(run)
      await run.finally(() => running.delete(run))
    },

    get(partition, key) {
      try {
        return store.tables[partition]!.get(entityId(key))?.record ?? null
      } catch (error) {
        return fail(error)
      }
    },

    async close() {
      closing.abort()
      await Promise.allSettled(running)
      await store.close()
    },
  }
}

// The embedded event log: LMDB behind the EventLog port (architecture §4). This file only connects the modules of the log.
import { AppError } from '@svc-server/errors'
import { declaredTopic } from '../declared.ts'
import type { CommittedOffset, ConsumeOptions, Consumer, EventLog, GroupLag, TopicDescription, TopicSpec } from '../port.ts'
import { createAppendPath } from './appends.ts'
import { startConsumer } from './consumer.ts'
import type { CommitRequest } from './context.ts'
import { lockDirectory } from './directory-lock.ts'
import { fetchBatch } from './fetch.ts'
import { type Logger, silentLogger } from './logger.ts'
import { createMaintenance } from './maintenance.ts'
import type { OwnedConsumer } from './membership.ts'
import { startOwner } from './owner.ts'
import { deleteBelow } from './retention.ts'
import { skip } from './skip.ts'
import { loadState, offsetKey, type Partition, type Topic } from './state.ts'
import { openStore } from './store.ts'
import { createWriter } from './writer.ts'

export interface EmbeddedLogOptions {
  readonly directory: string
  readonly topics: readonly TopicSpec[]
  /** Milliseconds since the epoch. The clock may be set back; append times never decrease. */
  readonly clock?: () => number
  readonly logger?: Logger
  /** Maximum bytes of appends that wait for the disk. Further appends fail with `overloaded`. */
  readonly maxQueuedBytes?: number
  /** After this time, an append fails with `log_unavailable`, but its records can still be written. */
  readonly ackTimeoutMs?: number
  /** Time between rounds of retention and compaction. */
  readonly maintenanceIntervalMs?: number
  /** How long compaction keeps tombstones. */
  readonly tombstoneRetentionMs?: number
}

export interface EmbeddedLog extends EventLog {
  readonly kind: 'embedded'
  skip: NonNullable<EventLog['skip']>
  /** Runs retention and compaction now. If a step fails, the other steps still run, and then the promise rejects. */
  maintain(): Promise<void>
}

/**
 * Opens or creates the log. Throws `data_dir_locked` if the directory is already open, and `config_invalid` if a topic's partition count
 * has changed.
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
  const release = lockDirectory(options.directory, 'The event log')
  try {
    return await openLocked(options, release)
  } catch (error) {
    release()
    throw error
  }
}

async function openLocked(options: EmbeddedLogOptions, release: () => void): Promise<EmbeddedLog> {
  const { clock = Date.now, logger = silentLogger } = options
  const store = openStore(options.directory)
  const state = await loadState(store, options.topics, {
    undeclared: (topic, bytes) =>
      logger.warn({ topic, bytes }, 'A topic on disk is not declared: its records are kept and its retention pauses'),
    repaired: row => logger.error({ ...row }, 'A partition’s row was damaged and has been rebuilt from the index'),
  }).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const closing = new AbortController()
  const writer = createWriter({
    store,
    state,
    clock,
    maxQueuedBytes: options.maxQueuedBytes ?? 64 * 1024 * 1024,
    ackTimeoutMs: options.ackTimeoutMs ?? 4000,
    onWriteError: error => logger.error({ err: error }, 'A transaction of the event log failed'),
  })
  const appends = createAppendPath({ store, topics: state.topics, clock })
  const maintenance = createMaintenance({
    store,
    state,
    writer,
    clock,
    logger,
    signal: closing.signal,
    intervalMs: options.maintenanceIntervalMs ?? 10_000,
    tombstoneRetentionMs: options.tombstoneRetentionMs ?? 24 * 3_600_000,
  })
  const consumers = new Map<string, OwnedConsumer>()
  const all = new Set<OwnedConsumer>()

  const topicOf = (name: string): Topic => declaredTopic(state.topics, name)
  const partitionOf = (name: string, partition: number): Partition => {
    const found = topicOf(name).partitions[partition]
    if (!found) throw new RangeError(`Topic ${name} has no partition ${partition}.`)
    return found
  }
  const refuseWhenClosing = (): void => {
    if (closing.signal.aborted) throw new AppError('log_unavailable', 'The event log is closing.')
  }

  const commit = async ({ group, partition, offset, metadata, appends: records, guard }: CommitRequest): Promise<void> => {
    const prepared = [...records].map(([topic, list]) => appends.prepare(topic, list))
    await writer.submit({
      bytes: prepared.reduce((sum, { bytes }) => sum + bytes, 0),
      bounded: false,
      apply: draft => {
        guard()
        if (offset > draft.numbers(partition).high) throw new RangeError(`Offset ${offset} is beyond the end of the partition.`)
        for (const one of prepared) appends.admit(draft, one, { group, topic: partition.topic.spec.name })
        for (const one of prepared) appends.place(draft, one)
        draft.commit(group, partition, { offset, metadata })
      },
    })
  }

  const lagOf = (group: string, partition: Partition): GroupLag => {
    const { low, high } = partition.numbers
    const topic = partition.topic.spec.name
    const committed = state.offsets.get(offsetKey(group, topic, partition.partition))?.offset ?? low
    const oldest = committed < high ? store.entriesFrom(partition.id, committed, 1)[0] : undefined
    return {
      group,
      topic,
      partition: partition.partition,
      committed,
      lagRecords: Math.max(0, high - committed),
      lagMs: oldest ? Math.max(0, clock() - oldest.timestampMs) : 0,
    }
  }

  /** Starts a consumer or owner, which takes over the group from the previous consumer or owner. */
  const become = (
    { group, topics }: Pick<ConsumeOptions, 'group' | 'topics'>,
    start: (partitions: readonly Partition[], onEnd: () => void) => OwnedConsumer,
  ): Consumer => {
    refuseWhenClosing()
    const partitions = topics.flatMap(name => topicOf(name).partitions)
    consumers.get(group)?.fence()
    const consumer = start(partitions, () => {
      all.delete(consumer)
      if (consumers.get(group) === consumer) consumers.delete(group)
    })
    consumers.set(group, consumer)
    all.add(consumer)
    return { stop: () => consumer.stop() }
  }

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    closing.abort()
    await Promise.all([...all].map(consumer => consumer.stop()))
    await maintenance.stop()
    await writer.drain()
    await store.close()
    release()
  }

  return {
    kind: 'embedded',
    logId: () => store.logId,

    async append(topic, records) {
      refuseWhenClosing()
      if (records.length === 0) return []
      const prepared = appends.prepare(topic, records)
      return writer.submit({
        bytes: prepared.bytes,
        bounded: true,
        apply: draft => {
          appends.admit(draft, prepared, null)
          return appends.place(draft, prepared)
        },
      })
    },

    async consume(consume) {
      return become(consume, (partitions, onEnd) =>
        startConsumer({ store, state, commits: commit, clock, logger }, consume, partitions, onEnd),
      )
    },

    async own(own) {
      return become(own, (partitions, onEnd) => startOwner({ state, commits: commit, logger }, own, partitions, onEnd))
    },

    async read(topic, partition, from, maxBytes) {
      return fetchBatch(store, partitionOf(topic, partition), from, maxBytes)
    },

    async committed(group, topic) {
      const found = new Map<number, CommittedOffset>()
      for (const { partition } of topicOf(topic).partitions) {
        const committed = state.offsets.get(offsetKey(group, topic, partition))
        if (committed) found.set(partition, committed)
      }
      return found
    },

    async deleteBefore(topic, partition, offset) {
      refuseWhenClosing()
      const target = partitionOf(topic, partition)
      let more = true
      while (more) more = await writer.submit({ bytes: 0, bounded: false, apply: draft => deleteBelow(draft, store, target, offset) })
    },

    async describe() {
      return [...state.topics.values()].map(
        ({ spec, partitions }): TopicDescription => ({
          spec,
          partitions: partitions.map(({ partition, id, lost, numbers: { low, high, records, bytes, lastTimestampMs } }) => {
            const oldest = records > 0 ? store.entriesFrom(id, low, 1)[0] : undefined
            return {
              partition,
              lowWatermark: low,
              highWatermark: high,
              records,
              bytes,
              ...(lost.length > 0 && { lost }),
              ...(oldest ? { oldestTimestampMs: oldest.timestampMs, newestTimestampMs: lastTimestampMs } : {}),
            }
          }),
        }),
      )
    },

    async lag() {
      return [...state.topics.values()].flatMap(({ spec, partitions }) => {
        const { readers, lapsing = [] } = spec
        const groups = new Set([...readers.filter(reader => !lapsing.includes(reader)), ...(state.groups.get(spec.name) ?? [])])
        return [...groups].flatMap(group => partitions.map(partition => lagOf(group, partition)))
      })
    },

    async skip({ topic, partition }, to, { confirmed }) {
      const report = await skip({ store, writer }, partitionOf(topic, partition), to, confirmed)
      if (confirmed) logger.warn({ topic, partition, ...report }, 'Damaged records were skipped')
      return report
    },

    maintain: () => maintenance.run(),
    close: () => (closed ??= close()),
  }
}

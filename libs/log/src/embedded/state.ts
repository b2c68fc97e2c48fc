// The embedded log's state in memory. Changes are made in a draft. A draft becomes the state when its transaction is durable, so a failed
// write needs no undo.
import { AppError } from '@svc-server/errors'
import type { CommittedOffset, LostRange, TopicSpec } from '../port.ts'
import { type AppendTime, nextAppendTime, storedAppendTime } from './append-time.ts'
import { type Repaired, reconcileRows } from './reconcile.ts'
import { headerBytes, mergeBatches, type PendingBatch, sealBatch } from './record-batch.ts'
import type { Operation, PartitionNumbers, Store, StoredPartition } from './store.ts'

export interface Partition {
  readonly topic: Topic
  readonly partition: number
  readonly id: number
  numbers: PartitionNumbers
  /** Ranges that an operator has skipped, ascending. */
  lost: readonly LostRange[]
  /** The log calls these functions after every append, as soon as the append is durable. */
  readonly watchers: Set<() => void>
}

export interface Topic {
  readonly spec: TopicSpec
  readonly partitions: readonly Partition[]
}

export interface State {
  readonly topics: ReadonlyMap<string, Topic>
  readonly offsets: Map<string, CommittedOffset>
  /** For each topic, all groups that have committed offsets, even groups that the topic's specification does not list. */
  readonly groups: Map<string, Set<string>>
  appendTime: AppendTime
}

export const offsetKey = (group: string, topic: string, partition: number): string => JSON.stringify([group, topic, partition])

const empty: PartitionNumbers = { low: 0, high: 0, records: 0, bytes: 0, lastTimestampMs: 0, cleanedTo: 0 }

export interface LoadEvents {
  undeclared(topic: string, bytes: number): void
  repaired(row: Repaired): void
}

/**
 * Reads the declared topics, and creates new ones. Throws `config_invalid` when a partition count has changed, and `log_corrupt` when rows
 * are missing and cannot be rebuilt.
 */
export async function loadState(store: Store, specs: readonly TopicSpec[], events: LoadEvents): Promise<State> {
  const rows = reconcileRows(store, specs)
  const stored = new Map(rows.byTopic)
  let { nextId } = rows
  for (const row of rows.repaired) events.repaired(row)

  const topics = new Map<string, Topic>()
  const created: Operation[] = rows.repaired.map(({ topic, partition, is }) => ({ kind: 'put-partition', topic, partition, stored: is }))
  for (const spec of specs) {
    const known = stored.get(spec.name)
    if (known && known.length !== spec.partitions) {
      throw new AppError(
        'config_invalid',
        `Topic ${spec.name} has ${known.length} partitions and ${spec.partitions} are configured: the count of an existing topic cannot change, ` +
          `because keys would move to other partitions. Configure ${known.length}, or empty the data directory.`,
        { topic: spec.name, stored: known.length, configured: spec.partitions },
      )
    }
    const partitions: Partition[] = []
    const topic: Topic = { spec, partitions }
    for (let partition = 0; partition < spec.partitions; partition++) {
      const numbers: StoredPartition = known?.[partition] ?? { ...empty, id: nextId++ }
      if (!known?.[partition]) created.push({ kind: 'put-partition', topic: spec.name, partition, stored: numbers })
      partitions.push({ topic, partition, id: numbers.id, numbers, lost: [], watchers: new Set() })
    }
    topics.set(spec.name, topic)
    stored.delete(spec.name)
  }
  if (created.length > 0) await store.write(created)
  for (const [topic, partitions] of stored)
    events.undeclared(
      topic,
      partitions.reduce((sum, row) => sum + (row?.bytes ?? 0), 0),
    )

  const appendTime = storedAppendTime([...rows.byTopic.values()].flat())
  const state: State = { topics, offsets: new Map(), groups: new Map(), appendTime }
  for (const offset of store.offsets()) rememberOffset(state, offset.group, offset.topic, offset.partition, offset)
  rememberLost(store, state)
  return state
}

function rememberLost(store: Store, { topics }: State): void {
  const all = Map.groupBy(store.lost(), ({ topic, partition }) => topics.get(topic)?.partitions[partition])
  for (const [partition, rows] of all) if (partition) partition.lost = rows.map(({ range }) => range)
}

/** Reads the state from disk after a write with an unknown outcome. */
export function reloadState(store: Store, state: State): void {
  const rows = store.partitions()
  state.appendTime = storedAppendTime(rows.map(({ stored }) => stored))
  for (const { topic, partition, stored } of rows) {
    const known = state.topics.get(topic)?.partitions[partition]
    if (!known) continue
    known.numbers = stored
    for (const watcher of known.watchers) watcher()
  }
  for (const offset of store.offsets()) rememberOffset(state, offset.group, offset.topic, offset.partition, offset)
  rememberLost(store, state)
}

function rememberOffset(state: State, group: string, topic: string, partition: number, { offset, metadata }: CommittedOffset): void {
  state.offsets.set(offsetKey(group, topic, partition), { offset, metadata })
  const groups = state.groups.get(topic) ?? new Set()
  groups.add(group)
  state.groups.set(topic, groups)
}

export interface Draft {
  now(): number
  numbers(partition: Partition): PartitionNumbers
  setNumbers(partition: Partition, numbers: PartitionNumbers): void
  committed(group: string, partition: Partition): CommittedOffset | undefined
  topicBytes(topic: Topic): number
  /** Appends a batch, and returns its offset and append time. All batches of a draft have the same append time. */
  append(partition: Partition, batch: PendingBatch): { readonly baseOffset: number; readonly timestampMs: number }
  commit(group: string, partition: Partition, committed: CommittedOffset): void
  change(operation: Operation): void
  lose(partition: Partition, range: LostRange): void
  /** Returns the transaction's operations on the store. Callers must call this method only once. */
  finish(): readonly Operation[]
  publish(): void
}

// In a transaction, a batch of at most `smallBatch` bytes joins the partition's previous batch, up to `mergedBatch` bytes in total.
const smallBatch = 32 * 1024
const mergedBatch = 256 * 1024

interface Appended {
  readonly baseOffset: number
  readonly parts: PendingBatch[]
  bytes: number
}

export function createDraft(state: State, clock: () => number): Draft {
  const operations: Operation[] = []
  const changed = new Map<Partition, PartitionNumbers>()
  const appended = new Map<Partition, Appended[]>()
  const lost = new Map<Partition, LostRange[]>()
  const commits = new Map<string, { group: string; partition: Partition; committed: CommittedOffset }>()
  let appendTime: AppendTime | undefined

  const numbers = (partition: Partition): PartitionNumbers => changed.get(partition) ?? partition.numbers

  const placeBatches = (partition: Partition, batches: readonly Appended[], timestampMs: number): void => {
    for (const { baseOffset, parts } of batches) {
      const batch = mergeBatches(parts)
      const { records, payloadBytes } = batch
      const bytes = sealBatch(batch, baseOffset, timestampMs)
      const entry = { baseOffset, nextOffset: baseOffset + records, timestampMs, payloadBytes, bytes: bytes.length, records }
      operations.push({ kind: 'put-batch', id: partition.id, entry, bytes })
    }
  }

  return {
    now: clock,
    numbers,
    setNumbers: (partition, next) => void changed.set(partition, next),
    committed: (group, partition) => {
      const key = offsetKey(group, partition.topic.spec.name, partition.partition)
      return commits.get(key)?.committed ?? state.offsets.get(key)
    },
    topicBytes: topic => topic.partitions.reduce((sum, partition) => sum + numbers(partition).bytes, 0),

    append: (partition, batch) => {
      const before = numbers(partition)
      appendTime ??= nextAppendTime(state.appendTime, clock())
      const timestampMs = appendTime.newestMs
      const batches = appended.get(partition) ?? []
      appended.set(partition, batches)
      const size = batch.bytes.length - headerBytes
      const last = batches.at(-1)
      const merge = last !== undefined && size <= smallBatch && last.bytes + size <= mergedBatch
      if (merge) {
        last.parts.push(batch)
        last.bytes += size
      } else {
        batches.push({ baseOffset: before.high, parts: [batch], bytes: size })
      }
      changed.set(partition, {
        ...before,
        high: before.high + batch.records,
        records: before.records + batch.records,
        bytes: before.bytes + size + (merge ? 0 : headerBytes),
        lastTimestampMs: timestampMs,
      })
      return { baseOffset: before.high, timestampMs }
    },

    commit: (group, partition, committed) =>
      void commits.set(offsetKey(group, partition.topic.spec.name, partition.partition), { group, partition, committed }),
    change: operation => void operations.push(operation),
    lose: (partition, range) => {
      operations.push({ kind: 'put-lost', topic: partition.topic.spec.name, partition: partition.partition, range })
      lost.set(partition, [...(lost.get(partition) ?? []), range])
    },

    finish: () => {
      for (const [partition, batches] of appended) placeBatches(partition, batches, appendTime!.newestMs)
      for (const [{ topic, partition, id }, { low, high, records, bytes, lastTimestampMs, cleanedTo }] of changed) {
        const stored = { id, low, high, records, bytes, lastTimestampMs, cleanedTo }
        operations.push({ kind: 'put-partition', topic: topic.spec.name, partition, stored })
      }
      for (const { group, partition, committed } of commits.values()) {
        operations.push({ kind: 'put-offset', group, topic: partition.topic.spec.name, partition: partition.partition, committed })
      }
      return operations
    },

    publish: () => {
      if (appendTime) state.appendTime = appendTime
      for (const { group, partition, committed } of commits.values()) {
        rememberOffset(state, group, partition.topic.spec.name, partition.partition, committed)
      }
      for (const [partition, ranges] of lost) {
        partition.lost = [...partition.lost, ...ranges].sort((a, b) => a.from - b.from)
        for (const watcher of partition.watchers) watcher()
      }
      for (const [partition, next] of changed) {
        const grown = next.high > partition.numbers.high
        partition.numbers = next
        if (grown) for (const watcher of partition.watchers) watcher()
      }
    },
  }
}

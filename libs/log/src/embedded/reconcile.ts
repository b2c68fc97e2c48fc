// Compares the stored row of each partition with the index of the stored batches when the log is opened. A missing or wrong row could hide
// stored batches or let them be overwritten.
import { AppError } from '@svc-server/errors'
import type { TopicSpec } from '../port.ts'
import type { Store, StoredPartition } from './store.ts'

export interface Repaired {
  readonly topic: string
  readonly partition: number
  readonly was: StoredPartition | undefined
  readonly is: StoredPartition
}

export interface Rows {
  readonly byTopic: ReadonlyMap<string, readonly (StoredPartition | undefined)[]>
  readonly repaired: readonly Repaired[]
  /** The id for the next new partition. */
  readonly nextId: number
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const isSound = ({ id, low, high }: StoredPartition): boolean => [id, low, high].every(isCount) && low <= high

/** Throws `log_corrupt` when stored batches belong to no known partition. */
export function reconcileRows(store: Store, specs: readonly TopicSpec[]): Rows {
  const byTopic = new Map<string, (StoredPartition | undefined)[]>()
  const repaired: Repaired[] = []
  for (const { topic, partition, stored } of rowsOf(store)) {
    const rows = byTopic.get(topic) ?? []
    byTopic.set(topic, rows)
    if (!isSound(stored)) continue
    const is = withIndex(store, stored)
    rows[partition] = is
    if (is !== stored) repaired.push({ topic, partition, was: stored, is })
  }
  const taken = [...byTopic.values()].flatMap(rows => rows.flatMap(row => row?.id ?? []))
  const inIndex = store.ids()
  const orphans = inIndex.filter(id => !taken.includes(id))
  if (orphans.length > 0) {
    const missing = specs.flatMap(({ name, partitions }) =>
      Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })).filter(
        ({ partition }) => byTopic.get(name)?.[partition] === undefined,
      ),
    )
    const [orphan, one] = [orphans[0]!, missing[0]]
    if (orphans.length > 1 || missing.length !== 1 || one === undefined)
      throw new AppError(
        'log_corrupt',
        'The event log has batches of unknown partitions, because rows of its index are missing: restore the directory of the event log.',
      )
    const [first] = store.entriesFrom(orphan, 0, 1)
    const low = first?.baseOffset ?? 0
    const is = withIndex(store, { id: orphan, low, high: low, records: 0, bytes: 0, lastTimestampMs: 0, cleanedTo: 0 })
    const rows = byTopic.get(one.topic) ?? []
    rows[one.partition] = is
    byTopic.set(one.topic, rows)
    repaired.push({ ...one, was: undefined, is })
  }
  return { byTopic, repaired, nextId: [...taken, ...inIndex].reduce((highest, id) => Math.max(highest, id), 0) + 1 }
}

function rowsOf(store: Store): ReturnType<Store['partitions']> {
  try {
    return store.partitions()
  } catch (cause) {
    throw new AppError('log_corrupt', 'The event log’s rows cannot be read: restore the directory of the event log.', {}, { cause })
  }
}

/** Widens the offset range in a partition's row, so that the range covers all stored batches. */
function withIndex(store: Store, row: StoredPartition): StoredPartition {
  const last = store.lastEntry(row.id)
  const [first, second] = store.entriesFrom(row.id, 0, 2)
  if (last === undefined || first === undefined) return row
  // If an operator has deleted the first records of a batch, `row.low` is within the batch and equals `row.cleanedTo`. `row.low` is then
  // correct, and must not be moved back to the start of the batch.
  const isWithin = first.baseOffset < row.low && row.low < Math.min(first.nextOffset, second?.baseOffset ?? row.high)
  const low = isWithin && row.cleanedTo === row.low ? row.low : Math.min(row.low, first.baseOffset)
  const high = Math.max(row.high, last.nextOffset)
  if (low === row.low && high === row.high) return row
  let [records, bytes] = [0, 0]
  for (let position = low; position < high; ) {
    const entries = store.entriesFrom(row.id, position, 1000)
    for (const entry of entries) {
      records += entry.records
      bytes += entry.bytes
    }
    if (entries.length === 0) break
    position = Math.max(position + 1, entries.at(-1)!.nextOffset)
  }
  return {
    ...row,
    low,
    high,
    records,
    bytes,
    lastTimestampMs: Math.max(row.lastTimestampMs, last.timestampMs),
    cleanedTo: Math.min(row.cleanedTo, low),
  }
}

// Finds damage in a partition: an index entry without bytes, bytes without an entry, or a wrong checksum. In a topic without compaction, a
// missing offset is also damage. Reads of the damaged range fail with `log_corrupt` until an operator skips the range.
import { AppError, isAppError } from '@svc-server/errors'
import type { LostRange } from '../port.ts'
import { type DecodedBatch, decodeBatch } from './record-batch.ts'
import type { Partition } from './state.ts'
import type { BatchEntry, Store } from './store.ts'
import { nextTurn, sliceMs } from './turns.ts'

export interface Damage {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly reason: string
  /** The correct index entry, if only the entry is damaged. Writing it repairs the damage without loss. */
  readonly restore?: BatchEntry
}

export const lostAt = ({ lost }: Partition, offset: number): LostRange | undefined =>
  lost.find(({ from, to }) => from <= offset && offset < to)

/** True if compaction may have removed records between batches. */
export const mayHaveHoles = ({ topic }: Partition): boolean => topic.spec.cleanup !== 'delete'

export function corrupt({ topic, partition }: Partition, { from, to, reason }: Damage): AppError {
  const { name } = topic.spec
  return new AppError(
    'log_corrupt',
    `${name}/${partition} is damaged from ${from} to ${to - 1}: ${reason}. ` +
      `Restore the directory, or skip the range: svc log skip ${name} ${partition} --to ${to}.`,
    { topic: name, partition, from, to },
  )
}

/** Returns the damage if the batch is unreadable, and undefined if retention or compaction has deleted the batch. */
export function batchOf(store: Store, partition: Partition, entry: BatchEntry): DecodedBatch | Damage | undefined {
  const { id, topic, partition: number } = partition
  const stored = store.batch(id, entry.baseOffset)
  // The caller has read `entry` earlier, in a page of index entries, so `entry` can be outdated.
  const now = store.entry(id, entry.baseOffset)
  if (now === undefined) return undefined
  const damage = (reason: string): Damage => ({ from: now.baseOffset, to: now.nextOffset, reason })
  if (stored === undefined) return damage('its index lists a batch that does not exist')
  try {
    const batch = decodeBatch(stored, topic.spec.name, number)
    return agrees(now, batch, stored) ? batch : { ...damage('a batch does not match its index'), ...restored(batch, stored) }
  } catch (error) {
    if (!isAppError(error)) throw error
    return damage(error.message.replace(/\.$/, ''))
  }
}

const agrees = (entry: BatchEntry, batch: DecodedBatch, stored: Buffer): boolean =>
  entry.baseOffset === batch.baseOffset &&
  entry.nextOffset === batch.nextOffset &&
  entry.timestampMs === batch.timestampMs &&
  entry.records === batch.records.length &&
  entry.bytes === stored.length

function restored({ baseOffset, nextOffset, timestampMs, records }: DecodedBatch, stored: Buffer): Damage | object {
  const payloadBytes = records.reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0)
  const restore: BatchEntry = { baseOffset, nextOffset, timestampMs, payloadBytes, bytes: stored.length, records: records.length }
  return { from: baseOffset, to: nextOffset, restore }
}

/** Yields damage in ascending order, without ranges that an operator has skipped. Reads every batch of the range. */
export async function* findDamage(store: Store, partition: Partition, from: number, until: number): AsyncGenerator<Damage> {
  let turnEnds = performance.now() + sliceMs
  for (let position = from; position < until; ) {
    const entry = store.entriesFrom(partition.id, position, 1)[0]
    const start = Math.min(entry?.baseOffset ?? until, until)
    yield* gaps(store, partition, position, start)
    if (entry === undefined || start === until) return
    const found = batchOf(store, partition, entry)
    const isDamage = found !== undefined && 'reason' in found
    const next = isDamage ? endOf(store, partition, entry, found) : entry.nextOffset
    if (isDamage && next <= position) {
      // Here, the damaged entry claims more offsets than its batch contains. The damaged range of the batch ends before `position`, and an
      // earlier iteration has already yielded this range. `gaps` examines the offsets from `position` to the next entry.
      const following = entryBehind(store, partition, entry)?.baseOffset ?? until
      yield* gaps(store, partition, position, Math.min(following, until))
      position = Math.max(position + 1, following)
      continue
    }
    if (isDamage && lostAt(partition, Math.max(position, entry.baseOffset)) === undefined) yield { ...found, to: next }
    position = Math.max(position + 1, next)
    if (performance.now() >= turnEnds) {
      await nextTurn()
      turnEnds = performance.now() + sliceMs
    }
  }
}

/** Returns the end of the damage. A damaged entry can claim too many offsets, so the damage ends where the next entry begins. */
function endOf(store: Store, partition: Partition, entry: BatchEntry, { to }: Damage): number {
  return Math.min(to, entryBehind(store, partition, entry)?.baseOffset ?? partition.numbers.high)
}

const entryBehind = (store: Store, { id }: Partition, { baseOffset }: BatchEntry): BatchEntry | undefined =>
  store.entriesFrom(id, baseOffset, 2).find(entry => entry.baseOffset > baseOffset)

/**
 * Yields the offsets without an index entry. If the bytes of a batch are intact, `restore` is the index entry that these bytes determine.
 */
function* gaps(store: Store, partition: Partition, from: number, to: number): Generator<Damage> {
  for (let position = from; position < to; ) {
    const lost = lostAt(partition, position)
    if (lost) {
      position = lost.to
      continue
    }
    const base = store.bytesFrom(partition.id, position) ?? to
    const bytes = base < to ? store.batch(partition.id, base) : undefined
    const end = Math.min(base, to)
    if (end > position && !mayHaveHoles(partition)) yield { from: position, to: end, reason: 'its records are not in the index' }
    position = end
    if (bytes === undefined) continue
    const whole = tryDecode(bytes, partition)
    if (whole === undefined || whole.baseOffset !== base) {
      // The number of records in the damaged batch is unknown, so the lost range ends at the next batch that can be found.
      const next = Math.min(store.bytesFrom(partition.id, base + 1) ?? to, to)
      yield { from: base, to: next, reason: 'a batch fails its checksum and is not in the index' }
      position = next
    } else {
      yield { from: base, to: whole.nextOffset, reason: 'a batch is not in the index', ...restored(whole, bytes) }
      position = whole.nextOffset
    }
  }
}

function tryDecode(bytes: Buffer, { topic, partition }: Partition): DecodedBatch | undefined {
  try {
    return decodeBatch(bytes, topic.spec.name, partition)
  } catch (error) {
    if (!isAppError(error)) throw error
    return undefined
  }
}

// Compaction keeps the last record of every key, at its offset. Batches are rewritten in place, in small transactions. If the process is
// killed between two transactions, the log is correct but less compact.
import type { LogRecord } from '../port.ts'
import { batchOf, corrupt, lostAt } from './damage.ts'
import { encodeSparseBatch } from './record-batch.ts'
import { heldFrom } from './retention.ts'
import { createDraft, type Draft, type Partition, type State } from './state.ts'
import type { BatchEntry, Store } from './store.ts'
import { nextTurn, sliceMs } from './turns.ts'
import type { Writer } from './writer.ts'

const PAGE = 64
/** Maximum bytes that one transaction rewrites. */
const rewriteBytes = 4 * 1024 * 1024
/** Maximum keys in memory (about 100 MB). Partitions with more keys need several passes. */
const maxKeys = 500_000
/** Compaction starts when this share of the records is newer than the last compaction. */
const dirtyShare = 0.5

export interface CompactionDeps {
  readonly store: Store
  readonly state: State
  readonly writer: Writer
  readonly clock: () => number
  /** How long compaction keeps a tombstone. Every reader must read the tombstone within this time. */
  readonly tombstoneRetentionMs: number
  readonly signal: AbortSignal
}

const keyOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')

/** Runs one compaction pass if enough records were appended since the last pass. Returns true if another pass is needed. */
export async function compactPartition(deps: CompactionDeps, partition: Partition): Promise<boolean> {
  const { state, writer } = deps
  const { high, cleanedTo, records } = partition.numbers
  // Compaction keeps records that a declared reader has not read.
  const end = Math.min(high, heldFrom(createDraft(state, deps.clock), partition))
  if (end <= cleanedTo || end - cleanedTo < records * dirtyShare) return false

  const { latest, reached } = await lastOffsets(deps, partition, cleanedTo, end)
  await rewrite(deps, partition, reached, latest)
  // An aborted pass can leave an old value of a key behind. If a later pass removed the key's tombstone, the old value would become visible
  // again. After an abort, `cleanedTo` therefore stays unchanged, so that the next pass reads the whole range again.
  if (deps.signal.aborted) return false
  await writer.submit({
    bytes: 0,
    bounded: false,
    apply: draft => {
      const numbers = draft.numbers(partition)
      draft.setNumbers(partition, { ...numbers, cleanedTo: Math.max(numbers.cleanedTo, reached) })
    },
  })
  return reached < end
}

/** Yields to the event loop every few milliseconds. */
async function* batches({ store, signal }: CompactionDeps, partition: Partition, from: number, end: number) {
  let position = from
  let turnEnds = performance.now() + sliceMs
  for (;;) {
    const entries = store.entriesFrom(partition.id, position, PAGE)
    for (const entry of entries) {
      if (entry.nextOffset > end || signal.aborted) return
      position = entry.nextOffset
      const found = batchOf(store, partition, entry)
      const isDamage = found !== undefined && 'reason' in found
      if (isDamage && lostAt(partition, entry.baseOffset) === undefined) throw corrupt(partition, found)
      if (found !== undefined && !isDamage) yield { entry, records: found.records }
      if (performance.now() >= turnEnds) {
        await nextTurn()
        turnEnds = performance.now() + sliceMs
      }
    }
    if (entries.length < PAGE) return
  }
}

async function lastOffsets(deps: CompactionDeps, partition: Partition, from: number, end: number) {
  const latest = new Map<string, number>()
  let reached = from
  for await (const { entry, records } of batches(deps, partition, from, end)) {
    for (const { key, offset } of records) if (key) latest.set(keyOf(key), offset)
    reached = entry.nextOffset
    if (latest.size >= maxKeys) break
  }
  return { latest, reached }
}

interface Rewrite {
  readonly entry: BatchEntry
  readonly kept: readonly LogRecord[]
}

async function rewrite(deps: CompactionDeps, partition: Partition, end: number, latest: ReadonlyMap<string, number>): Promise<void> {
  const expired = deps.clock() - deps.tombstoneRetentionMs
  const stays = ({ key, value, offset, timestampMs }: LogRecord): boolean => {
    if (key && (latest.get(keyOf(key)) ?? offset) > offset) return false
    // The pass removes all older values of the key, so an expired tombstone is no longer needed.
    return value !== null || timestampMs > expired
  }

  let pending: Rewrite[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    const rewrites = pending
    if (rewrites.length > 0) await deps.writer.submit({ bytes, bounded: false, apply: draft => replace(draft, partition, rewrites) })
    pending = []
    bytes = 0
  }
  for await (const { entry, records } of batches(deps, partition, partition.numbers.low, end)) {
    const kept = records.filter(stays)
    if (kept.length === records.length) continue
    pending.push({ entry, kept })
    bytes += entry.bytes
    if (bytes >= rewriteBytes) await flush()
  }
  await flush()
}

function replace(draft: Draft, partition: Partition, rewrites: readonly Rewrite[]): void {
  for (const { entry, kept } of rewrites) {
    const numbers = draft.numbers(partition)
    // Retention may have deleted the batch in the meantime.
    if (entry.baseOffset < numbers.low) continue
    let bytes = 0
    if (kept.length === 0) {
      draft.change({ kind: 'remove-batch', id: partition.id, baseOffset: entry.baseOffset })
    } else {
      const sparse = encodeSparseBatch(entry, kept)
      bytes = sparse.bytes.length
      const next = { ...entry, records: kept.length, payloadBytes: sparse.payloadBytes, bytes }
      draft.change({ kind: 'put-batch', id: partition.id, entry: next, bytes: sparse.bytes })
    }
    draft.setNumbers(partition, {
      ...numbers,
      records: numbers.records - entry.records + kept.length,
      bytes: numbers.bytes - entry.bytes + bytes,
    })
  }
}

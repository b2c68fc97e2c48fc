// Chooses a record's partition. A key determines the partition. The embedded log and the Kafka log choose the same partition for a key.
// Records without a key stay on one partition for a while.

/** Hashes a key as Kafka's clients do (seed 0x9747b28c). Returns a signed 32-bit integer. */
export function murmur2(data: Uint8Array): number {
  const m = 0x5bd1e995
  const length = data.length
  let h = 0x9747b28c ^ length
  const words = length & ~3
  for (let i = 0; i < words; i += 4) {
    let k = data[i]! | (data[i + 1]! << 8) | (data[i + 2]! << 16) | (data[i + 3]! << 24)
    k = Math.imul(k, m)
    k ^= k >>> 24
    k = Math.imul(k, m)
    h = Math.imul(h, m) ^ k
  }
  const rest = length & 3
  if (rest === 3) h ^= data[words + 2]! << 16
  if (rest >= 2) h ^= data[words + 1]! << 8
  if (rest >= 1) h = Math.imul(h ^ data[words]!, m)
  h ^= h >>> 13
  h = Math.imul(h, m)
  return h ^ (h >>> 15)
}

/** Chooses the same partition as Kafka's default partitioner. */
export const partitionOfKey = (key: Uint8Array, partitions: number): number => (murmur2(key) & 0x7fffffff) % partitions

/**
 * After this many bytes or this much time, new records without a key go to the next partition. Until then, all records without a key go to
 * one partition, so that fetches and inserts are large.
 */
export const stickyBytes = 24 * 1024 * 1024
export const stickyMs = 2000

/** Chooses partitions for records without a key. Call the returned function with the size of each record. */
export function createStickyPartitioner({ partitions, clock }: { partitions: number; clock: () => number }): (bytes: number) => number {
  let partition = 0
  let taken = 0
  let since = clock()
  return bytes => {
    const elapsed = clock() - since
    // `elapsed` is negative if the clock was set back.
    if (taken >= stickyBytes || elapsed >= stickyMs || elapsed < 0) {
      if (taken > 0) partition = (partition + 1) % partitions
      taken = 0
      since = clock()
    }
    taken += bytes
    return partition
  }
}

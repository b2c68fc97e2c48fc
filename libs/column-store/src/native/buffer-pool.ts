// Blocks leave the thread that builds them, and their memory returns once they are stored. Reusing it saves page
// faults and growth copies. The memory is shared between threads instead of moved: V8 counts a moved buffer as newly
// allocated and would run a full collection in both threads for nearly every insert, freeing nothing.

const smallest = 12 // 4 KiB
const largest = 20 // 1 MiB. Larger growth adds segments, so nothing is copied twice.
export const segmentBytes = 1 << largest

export interface BufferPool {
  /** Returns a Uint8Array (not a Buffer) over a separate buffer of at least this size, with undefined contents. */
  take(minBytes: number): Uint8Array
  /** The caller must not use the buffer again. Unshared buffers are left to the garbage collector. */
  give(buffer: ArrayBufferLike): void
  /** Reports shared memory that was lost and not given back, so that the pool may allocate as much again. */
  forget(bytes: number): void
}

const sizeClass = (bytes: number) => Math.max(smallest, 32 - Math.clz32(bytes - 1))

/** Allocated outside Node's shared slab, which cannot be transferred, and not zeroed. */
const allocate = (bytes: number): Uint8Array => new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)

/**
 * Creates a pool that allocates at most `maxBytes` of shared memory and reuses it. Requests beyond that limit, or above the segment size,
 * allocate new memory.
 */
export function createBufferPool(maxBytes: number): BufferPool {
  const free: SharedArrayBuffer[][] = Array.from({ length: largest + 1 }, () => [])
  let made = 0

  /**
   * Shared memory does not trigger garbage collection. Memory that was not given back counts against the limit until it is forgotten, so
   * that the pool does not replace it again and again.
   */
  function allocateShared(bytes: number): Uint8Array {
    if (made + bytes > maxBytes) return allocate(bytes)
    made += bytes
    return new Uint8Array(new SharedArrayBuffer(bytes))
  }

  return {
    take(minBytes) {
      const size = sizeClass(Math.max(minBytes, 1))
      if (size > largest) return allocate(minBytes)
      const buffer = free[size]!.pop()
      return buffer === undefined ? allocateShared(2 ** size) : new Uint8Array(buffer)
    },

    give(buffer) {
      if (buffer instanceof SharedArrayBuffer) free[31 - Math.clz32(buffer.byteLength)]!.push(buffer)
    },

    forget(bytes) {
      made = Math.max(0, made - bytes)
    },
  }
}

// Blocks are sent to a different thread than the one that builds them, and their memory is returned once they are stored. Reusing the
// memory saves page faults and copies during growth. The memory is shared between threads instead of moved: V8 counts a moved buffer as
// newly allocated and would run a full collection in both threads for nearly every insert, freeing nothing.

const smallest = 12 // 4 KiB
const largest = 20 // 1 MiB. A larger column gets additional segments, so nothing is copied twice.
export const segmentBytes = 1 << largest

export interface BufferPool {
  /** Returns a Uint8Array (not a Buffer) over a separate buffer of at least this size, with undefined contents. */
  take(minBytes: number): Uint8Array
  /** Returns a buffer to the pool. The caller must not use the buffer afterwards. Unshared buffers are left to the garbage collector. */
  give(buffer: ArrayBufferLike): void
  /**
   * Tells the pool that this much shared memory was lost and will not be returned, so that the pool is allowed to allocate the same amount
   * again.
   */
  forget(bytes: number): void
}

const sizeClass = (bytes: number) => Math.max(smallest, 32 - Math.clz32(bytes - 1))

/** Allocates a separate buffer, not zeroed. A part of Node's shared slab could not be transferred to another thread. */
const allocate = (bytes: number): Uint8Array => new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)

/**
 * Creates a pool that allocates at most `maxBytes` of shared memory and reuses it. Requests beyond that limit, or above the segment size,
 * allocate new memory.
 */
export function createBufferPool(maxBytes: number): BufferPool {
  const free: SharedArrayBuffer[][] = Array.from({ length: largest + 1 }, () => [])
  let made = 0

  /**
   * Shared memory does not trigger garbage collection. Therefore memory that is not given back stays within the pool's limit until `forget`
   * is called. Otherwise the pool would replace it without bound.
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

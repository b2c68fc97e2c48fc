// A pool of memory for blocks. One thread builds a block in this memory, and another thread sends the block. The memory of a stored block
// returns to the pool. The pool avoids page faults and copies of growing buffers. The threads share the memory. If a buffer were moved
// between threads, V8 would count it as newly allocated and would run useless full garbage collections in both threads.

const smallest = 12 // 4 KiB
const largest = 20 // 1 MiB. A larger column gets additional segments, so nothing is copied twice.
export const segmentBytes = 1 << largest

export interface BufferPool {
  /**
   * Returns a Uint8Array (not a Buffer) of at least this size. The array shares its memory with no other array, and its contents are
   * arbitrary.
   */
  take(minBytes: number): Uint8Array
  /** Returns a buffer to the pool. The caller must not use the buffer again. The pool leaves unshared buffers to the garbage collector. */
  give(buffer: ArrayBufferLike): void
  /** Tells the pool that this number of bytes of shared memory is lost. The pool can then allocate new memory as a replacement. */
  forget(bytes: number): void
}

const sizeClass = (bytes: number) => Math.max(smallest, 32 - Math.clz32(bytes - 1))

/** The memory is not zeroed. The memory is not from Node's shared pool, whose slices cannot be transferred to another thread. */
const allocate = (bytes: number): Uint8Array => new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)

/**
 * Creates a pool with at most `maxBytes` of shared memory. When this memory is used up, the pool allocates unshared memory. The pool also
 * allocates unshared memory for a request that is larger than a segment.
 */
export function createBufferPool(maxBytes: number): BufferPool {
  const free: SharedArrayBuffer[][] = Array.from({ length: largest + 1 }, () => [])
  let made = 0

  /**
   * A lost buffer (a buffer that never returns to the pool) counts toward the limit until `forget` is called. If lost buffers did not
   * count, the pool would replace them without a limit, because allocating shared memory does not trigger garbage collections.
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

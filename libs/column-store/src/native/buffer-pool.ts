// Blocks leave the thread that makes them, and their memory comes back when they are stored: handing it out again saves page faults and growth copies.
// It is shared between threads, not moved: V8 counts what is moved into a thread as if it had been allocated there, and collects the whole heap of both
// threads for nearly every insert, to find nothing.

const smallest = 12 // 4 KiB
const largest = 20 // 1 MiB: growth above it is by further segments, so nothing is ever copied twice
export const segmentBytes = 1 << largest

export interface BufferPool {
  /** A plain Uint8Array over a buffer of its own, at least so large; contents are undefined. */
  take(minBytes: number): Uint8Array
  /** The caller must not use the buffer again. What is not shared is left to the collector. */
  give(buffer: ArrayBufferLike): void
  /** Of shared memory that was not given back: nobody has it any more, and as much may be recreated. */
  forget(bytes: number): void
}

const sizeClass = (bytes: number) => Math.max(smallest, 32 - Math.clz32(bytes - 1))

/** Not from Node's shared slab (that could not be transferred) and not zeroed. */
const allocate = (bytes: number): Uint8Array => new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)

/** Makes at most `maxBytes` of shared memory, which it hands out again; beyond them, and above a segment, memory is allocated anew each time. */
export function createBufferPool(maxBytes: number): BufferPool {
  const free: SharedArrayBuffer[][] = Array.from({ length: largest + 1 }, () => [])
  let made = 0

  /** No memory that is shared makes the collector hurry: what does not come back counts until it is forgotten, so that it is not replaced again and again. */
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

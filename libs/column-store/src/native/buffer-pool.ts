// Blocks are handed out whole (a worker transfers their buffers), so columns take fresh memory for every
// block. The pool lets a consumer give it back after the insert instead of paying page faults and growth
// copies each time.

const smallest = 12 // 4 KiB
const largest = 20 // 1 MiB: growth above it is by further segments, so nothing is ever copied twice
export const segmentBytes = 1 << largest

export interface BufferPool {
  /** A plain Uint8Array over a buffer of its own, at least so large; contents are undefined. */
  take(minBytes: number): Uint8Array<ArrayBuffer>
  /**
   * The caller must not use the buffer again. Buffers of other sizes, and beyond the limit, are left to the
   * collector.
   */
  give(buffer: ArrayBufferLike): void
}

const sizeClass = (bytes: number) => Math.max(smallest, 32 - Math.clz32(bytes - 1))

/** Not from Node's shared slab (that could not be transferred) and not zeroed. */
const allocate = (bytes: number): Uint8Array<ArrayBuffer> => {
  const { buffer } = Buffer.allocUnsafeSlow(bytes)
  return new Uint8Array(buffer as ArrayBuffer)
}

/** Keeps at most `maxBytes` of returned memory. */
export function createBufferPool(maxBytes: number): BufferPool {
  const free: ArrayBuffer[][] = Array.from({ length: largest + 1 }, () => [])
  let kept = 0

  return {
    take(minBytes) {
      const size = sizeClass(Math.max(minBytes, 1))
      if (size > largest) return allocate(minBytes)
      const buffer = free[size]!.pop()
      if (buffer === undefined) return allocate(2 ** size)
      kept -= buffer.byteLength
      return new Uint8Array(buffer)
    },

    give(buffer) {
      if (!(buffer instanceof ArrayBuffer) || buffer.byteLength === 0) return
      const size = 31 - Math.clz32(buffer.byteLength)
      if (buffer.byteLength !== 2 ** size || size < smallest || size > largest || kept + buffer.byteLength > maxBytes) return
      kept += buffer.byteLength
      free[size]!.push(buffer)
    },
  }
}

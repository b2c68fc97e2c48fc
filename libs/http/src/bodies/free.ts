// Frees the memory of a large buffer immediately. If only the garbage collector freed bodies of half a megabyte, V8 would mark the whole
// heap every thirty requests. The garbage collector would then take more CPU time than everything else that the gateway does for a span,
// except decompression.

/**
 * Detaches the memory of `bytes`. All views of it are then empty, so that a later use reads nothing and never other data. The memory must
 * have no other views that are still needed. Small buffers are in a pool that Node shares, so they stay unchanged.
 */
export function free(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  // If the memory was transferred to a worker thread, the views of it have length 0.
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0) return
  // A view of all bytes of its ArrayBuffer does not come from the pool. A view of only a part certainly does not come from the pool if its
  // ArrayBuffer is larger than the pool.
  if (byteLength === buffer.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

// Frees the memory of a large buffer immediately. If only garbage collection freed it, bodies of half a megabyte would make V8 mark the
// whole heap every thirty requests. That costs more CPU than all other gateway work on a span except inflating it.

/**
 * Detaches the memory of `bytes`: every view of it is empty afterwards, so that a later use reads nothing instead of other data. Must be
 * called only for memory that has no other views. Small buffers share Node's pool and stay unchanged.
 */
export function free(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  // Memory that was transferred to a worker thread has length 0 here.
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0) return
  // A view that covers its whole memory is not from the pool. Of the other views, only those larger than the pool are certainly not from
  // the pool.
  if (byteLength === buffer.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

// Frees the memory of a large buffer immediately. If only garbage collection freed it, bodies of half a megabyte would make V8 mark the
// whole heap every thirty requests. Such garbage collection costs more CPU than all other work of the gateway on a span except
// decompression.

/**
 * Detaches the memory of `bytes`: every view of it is empty afterwards, so that a later use reads nothing instead of other data. Must be
 * called only for memory that has no other views. Small buffers share Node's pool and stay unchanged.
 */
export function free(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  // After memory was transferred to a worker thread, its views have length 0.
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0) return
  // A view that covers all bytes of its ArrayBuffer is not from the pool. A view that covers only a part is certainly not from the pool if
  // its ArrayBuffer is larger than the pool.
  if (byteLength === buffer.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

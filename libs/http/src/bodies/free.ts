// Gives the memory of a large buffer back at once. Left to the collector, bodies of half a megabyte make V8
// mark the whole heap every thirty requests, which costs more CPU than everything else the gateway does to a
// span but inflating it.

/**
 * Detaches the memory that `bytes` stands on: every view of it is empty afterwards, so a use after this reads
 * nothing instead of something else. Only for memory that nobody else has a view of. Small buffers share
 * Node's pool and are left alone.
 */
export function free(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  // Also what a worker thread has been given: it has length 0 here.
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0) return
  // Nothing that covers its memory whole is from the pool, whatever its size; of the rest, only what is
  // larger surely is not.
  if (byteLength === buffer.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

// Frees the memory of a large buffer immediately. If garbage collection had to free the large buffers, it would take more CPU time than all
// other work of the gateway except decompression.

/**
 * Detaches the memory of `bytes`. All views of this memory become empty. If code still uses such a view by mistake, it cannot read data of
 * another request. Callers must ensure that no other view of the memory is in use. Small buffers stay unchanged, because they are in Node's
 * shared pool.
 */
export function free(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0) return
  // If `bytes` covers a whole ArrayBuffer, or is part of an ArrayBuffer that is larger than Node's pool, the memory is not in the pool.
  if (byteLength === buffer.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

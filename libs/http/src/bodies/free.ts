// Frees the memory of a large buffer immediately. Without `free`, V8 would mark the whole heap after every thirty bodies of half a
// megabyte, and garbage collection would take more CPU time than all other work of the gateway except decompression.

/**
 * Detaches the memory of `bytes`. All views of freed memory are empty, so a later use of a view cannot read data of another request. The
 * memory must have no other views in use. Small buffers are in a pool that Node shares, so they stay unchanged.
 */
export function free(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes
  // Views of memory that was transferred to a worker thread have length 0.
  if (!(buffer instanceof ArrayBuffer) || byteLength === 0) return
  // A view of all bytes of its ArrayBuffer is not in Node's pool. If an ArrayBuffer is larger than Node's pool, a view of a part of it is
  // certainly not in the pool.
  if (byteLength === buffer.byteLength || buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

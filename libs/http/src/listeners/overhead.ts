// Finds HTTP/2 connections that send frames without requests, such as window updates. Node handles these frames by itself, so only the
// number of received bytes reveals them.

/** Number of bytes that a connection can send at once, not counting heads and bodies of requests. A keep-alive ping has 17 bytes. */
const burstBytes = 256 * 1024
/** Number of bytes per second that a connection can send after it has used up `burstBytes`, not counting heads and bodies of requests. */
const bytesPerSecond = 16 * 1024

export interface Overhead {
  accountFor(bytes: number): void
  /**
   * True if the connection has sent too many bytes that belong neither to the head nor to the body of a request. Each call checks the
   * bytes since the previous call, so the caller must call this method regularly.
   */
  isExceeded(bytesRead: number): boolean
}

export function createOverhead(clock: () => number = () => performance.now()): Overhead {
  let allowed = burstBytes
  let atMs = clock()
  let before = 0
  return {
    accountFor(bytes) {
      allowed += bytes
    },
    isExceeded(bytesRead) {
      const nowMs = clock()
      allowed -= bytesRead - before
      allowed = Math.max(allowed, Math.min(burstBytes, allowed + ((nowMs - atMs) / 1000) * bytesPerSecond))
      atMs = nowMs
      before = bytesRead
      return allowed < 0
    },
  }
}

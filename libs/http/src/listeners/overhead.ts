// Finds HTTP/2 connections that send frames but no requests: window updates, priorities, frames of a single byte. The parser handles such
// frames without calling this code, so only the number of received bytes reveals them.

/** Bytes, in addition to requests and bodies, that a connection can send in a burst, and per second. Keep-alive pings have 17 bytes. */
const burstBytes = 256 * 1024
const bytesPerSecond = 16 * 1024

export interface Overhead {
  /** Bytes that a request or a body accounts for. */
  accountFor(bytes: number): void
  /** Whether more bytes have arrived than requests and bodies account for. Call it regularly. */
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

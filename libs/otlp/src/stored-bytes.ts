// Computes the stored size of a message. Each byte of invalid UTF-8 becomes U+FFFD, which takes three bytes. Every row contains the
// resource of its span, so four spans with a resource of 60 MiB of invalid UTF-8 could become 720 MiB of rows.

import type { SpanCursor } from './span-cursor.ts'

const growth = 2

/** Returns the bytes that resource and scope take in every row. */
export const sharedBytesOf = ({ bytes, resourceStart, resourceEnd, scopeStart, scopeEnd }: SpanCursor): number =>
  storedBytes(bytes, resourceStart, resourceEnd) + storedBytes(bytes, scopeStart, scopeEnd)

/**
 * Returns an upper bound for the stored bytes of the range. The bound can be higher than the stored bytes, because bytes outside of texts
 * are counted, too. If such a byte looks like invalid UTF-8, the byte counts as three bytes.
 */
export function storedBytes(bytes: Uint8Array, start: number, end: number): number {
  let bad = 0
  let at = start
  while (at < end) {
    if (bytes[at]! < 0x80) at++
    else {
      const length = sequenceAt(bytes, at, end)
      if (length === 0) bad++
      at += length || 1
    }
  }
  return end - start + growth * bad
}

/** Returns the length of the sequence of two to four bytes at this position; 0 if it is invalid (Unicode 16, table 3-7). */
function sequenceAt(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  if (length === 0 || at + length > end) return 0
  const second = bytes[at + 1]!
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest) return 0
  for (let next = at + 2; next < at + length; next++) if ((bytes[next]! & 0xc0) !== 0x80) return 0
  return length
}

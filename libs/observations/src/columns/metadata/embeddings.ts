// A row contains only the length of an embedding's vector, and only the beginning of an embedding's text.
import type { ByteSource } from '@svc-server/column-store/native'
import { forEachElement, valueKind, type WireValue } from '../../span-view/any-value.ts'

/** Returns the number of elements of a list, which can be JSON text. Returns undefined for any other value. */
export function vectorLength(source: ByteSource, value: WireValue): number | undefined {
  let length = 0
  if (value.kind === valueKind.array) {
    forEachElement(source.bytes, value, () => {
      length++
    })
    return length
  }
  if (value.kind !== valueKind.text || source.bytes[value.start] !== 0x5b || source.bytes[value.end - 1] !== 0x5d) return undefined
  for (let i = value.start; i < value.end; i++) if (source.bytes[i] === 0x2c) length++
  return value.end - value.start > 2 ? length + 1 : 0
}

/** Returns the position at which a text is cut to at most `maxBytes`. The cut is never within a character. */
export function endOfCharacters(bytes: Uint8Array, start: number, end: number, maxBytes: number): number {
  if (end - start <= maxBytes) return end
  let at = start + maxBytes
  while (at > start && (bytes[at]! & 0xc0) === 0x80) at--
  return at
}

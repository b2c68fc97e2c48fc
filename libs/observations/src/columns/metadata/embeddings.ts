// Of an embedding, only the length of its vector and the beginning of its text are stored.
import type { ByteSource } from '@svc-server/column-store/native'
import { forEachElement, valueKind, type WireValue } from '../../span-view/any-value.ts'

/** The list can also be JSON text. */
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

/** No character is split at the byte limit. */
export function endOfCharacters(bytes: Uint8Array, start: number, end: number, maxBytes: number): number {
  if (end - start <= maxBytes) return end
  let at = start + maxBytes
  while (at > start && (bytes[at]! & 0xc0) === 0x80) at--
  return at
}

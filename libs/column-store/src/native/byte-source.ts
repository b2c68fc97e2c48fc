// Bytes from which columns copy. The DataView is created once per record. Copying short texts through it in 32-bit words is twice as fast
// as byte by byte.
import { isUtf8 } from 'node:buffer'

export interface ByteSource {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** Returns a view of the input and never copies it. A Buffer becomes a plain Uint8Array, so that hot loops see only one type of array. */
export const byteSource = (input: Uint8Array): ByteSource => ({
  bytes: new Uint8Array(input.buffer, input.byteOffset, input.byteLength),
  view: new DataView(input.buffer, input.byteOffset, input.byteLength),
})

const encoder = new TextEncoder()
// The byte order mark is part of the value.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const sourceOf = (text: string): ByteSource => byteSource(encoder.encode(text))

export const isValidText = (source: ByteSource, start: number, end: number): boolean =>
  isUtf8(new Uint8Array(source.bytes.buffer, source.bytes.byteOffset + start, end - start))

/** Returns the text with U+FFFD for invalid UTF-8. */
export const repairedText = (source: ByteSource, start: number, end: number): ByteSource =>
  sourceOf(decoder.decode(source.bytes.subarray(start, end)))

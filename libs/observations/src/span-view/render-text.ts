// Converts a value of any kind to text.
import { type ByteSource, ByteWriter, createBufferPool } from '@svc-server/column-store/native'
import { valueKind, type WireValue } from './any-value.ts'
import { base64Text, writeAscii, writeJson } from './json-text.ts'

/** Creates a writer for texts that are copied to a column later. The texts stay readable until the writer is reset. */
export const scratchWriter = (): ByteWriter => new ByteWriter(createBufferPool(0), { contiguous: true })

const scratch = scratchWriter()

/** A text stays unchanged, bytes become base64, lists and maps become JSON, and a missing value becomes an empty text. */
export function renderText(source: ByteSource, value: WireValue): ByteWriter {
  scratch.rewind()
  if (value.kind === valueKind.bytes) writeAscii(scratch, base64Text(source, value.start, value.end))
  else if (value.kind === valueKind.double) scratch.decimal(value.number)
  else if (value.kind === valueKind.text) scratch.raw(source.bytes, value.start, value.end)
  else if (value.kind !== valueKind.none) writeJson(scratch, source, value)
  return scratch
}

// How a value of any kind becomes the text that a column, a list or a rule sees.
import { type ByteSource, ByteWriter, createBufferPool } from '@svc-server/column-store/native'
import { valueKind, type WireValue } from './any-value.ts'
import { base64Text, writeAscii, writeJson } from './json-text.ts'

/** For texts on their way into a column; readable as a source until it is rewound. */
export const scratchWriter = (): ByteWriter => new ByteWriter(createBufferPool(0), { contiguous: true })

const scratch = scratchWriter()

/**
 * A value that is no text, as text: numbers and booleans plainly, bytes in base64, lists as JSON, nothing as
 * the empty text.
 */
export function renderText(source: ByteSource, value: WireValue): ByteWriter {
  scratch.rewind()
  if (value.kind === valueKind.bytes) writeAscii(scratch, base64Text(source, value.start, value.end))
  else if (value.kind === valueKind.double) scratch.decimal(value.number)
  else if (value.kind === valueKind.text) scratch.raw(source.bytes, value.start, value.end)
  else if (value.kind !== valueKind.none) writeJson(scratch, source, value)
  return scratch
}

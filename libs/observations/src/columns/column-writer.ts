// What every column family offers the mapper, and how a value of any kind becomes the text of a column.
import { type ByteSource, ByteWriter, createBufferPool, type TextColumn } from '@svc-server/column-store/native'
import { valueKind, type WireValue } from '../attributes/any-value.ts'
import { base64Text, writeAscii, writeJson } from '../attributes/json-text.ts'
import type { SpanView } from '../span-view.ts'

/** Writes its columns of one row. It must not fail: a span is checked before it gets here. */
export type ColumnWriter = (row: number, span: SpanView) => void

/** Room for texts on their way into a column; readable as a source until it is rewound. */
export const scratchWriter = (): ByteWriter => new ByteWriter(createBufferPool(0), { contiguous: true })

const scratch = scratchWriter()

/** A value that is no text, as text: numbers and booleans plainly, bytes in base64, lists as JSON, nothing as the empty text. */
export function renderText(source: ByteSource, value: WireValue): ByteWriter {
  scratch.rewind()
  if (value.kind === valueKind.bytes) writeAscii(scratch, base64Text(source, value.start, value.end))
  else if (value.kind === valueKind.double) writeAscii(scratch, String(value.number))
  else if (value.kind === valueKind.text) scratch.raw(source.bytes, value.start, value.end)
  else if (value.kind !== valueKind.none) writeJson(scratch, source, value)
  return scratch
}

/** Text of an attribute into a text column: copied from the wire when it is one already. */
export function writeAttribute(column: TextColumn, row: number, span: SpanView, entry: number): void {
  const { kinds, starts, ends } = span.attributes
  if (kinds[entry] === valueKind.text) {
    column.text(row, span.source, starts[entry]!, ends[entry]!)
    return
  }
  const text = renderText(span.source, span.attributes.value(entry))
  column.text(row, text, 0, text.length)
}

/** What the trace says where the span says nothing. */
export function writeFill(column: TextColumn, row: number, span: SpanView, name: string, fill: string | undefined): void {
  if (fill === undefined) return
  span.trail?.found(name, 'fill-in of the trace')
  column.string(row, fill)
}

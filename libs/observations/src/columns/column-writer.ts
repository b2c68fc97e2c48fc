// The interface between the mapper and a family of columns, and helpers that write attributes and trace values into text columns.
import type { TextColumn } from '@svc-server/column-store/native'
import { valueKind } from '../span-view/any-value.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

/** Writes one row of this family's columns. Must not fail, because the span was already checked. */
export type ColumnWriter = (row: number, span: SpanView) => void

/** Writes an attribute's text into a text column; a text value is copied from the wire. */
export function writeAttribute(column: TextColumn, row: number, span: SpanView, entry: number): void {
  const { kinds, starts, ends } = span.attributes
  if (kinds[entry] === valueKind.text) {
    column.text(row, span.source, starts[entry]!, ends[entry]!)
    return
  }
  const text = renderText(span.source, span.attributes.value(entry))
  column.text(row, text, 0, text.length)
}

/** Writes the value of the trace if the span itself has no value. */
export function writeFill(column: TextColumn, row: number, span: SpanView, name: string, fill: string | undefined): void {
  if (fill === undefined) return
  span.explanation?.found(name, 'fill-in of the trace')
  column.string(row, fill)
}

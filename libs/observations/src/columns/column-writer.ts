// What every column family offers the mapper, and how attributes and fill-ins get into text columns.
import type { TextColumn } from '@svc-server/column-store/native'
import { valueKind } from '../span-view/any-value.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

/** Writes its columns of one row. It must not fail: a span is checked before it gets here. */
export type ColumnWriter = (row: number, span: SpanView) => void

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

// The interface between the mapper and the modules of `columns`. Each of these modules writes one or several columns.
import type { TextColumn } from '@svc-server/column-store/native'
import { valueKind } from '../span-view/any-value.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'

/** Writes one row. Must not fail: spans that cannot become rows were already rejected (span-view/record-spans.ts). */
export type ColumnWriter = (row: number, span: SpanView) => void

/** Writes an attribute to a column. A text is copied directly from the bytes of the request. */
export function writeAttribute(column: TextColumn, row: number, span: SpanView, entry: number): void {
  const { kinds, starts, ends } = span.attributes
  if (kinds[entry] === valueKind.text) {
    column.text(row, span.source, starts[entry]!, ends[entry]!)
    return
  }
  const text = renderText(span.source, span.attributes.value(entry))
  column.text(row, text, 0, text.length)
}

/** Writes the trace's value if the span itself has none. */
export function writeFill(column: TextColumn, row: number, span: SpanView, name: string, fill: string | undefined): void {
  if (fill === undefined) return
  span.explanation?.found(name, 'fill-in of the trace')
  column.string(row, fill)
}

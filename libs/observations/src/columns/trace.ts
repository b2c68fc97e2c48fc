// Columns for the attributes of a trace: user, session, tags, name, visibility. If a span does not state such a value, the column gets the
// value from other spans of the trace.
import { ArrayColumn, type BlockBuilder, NumberColumn, StringColumn } from '@svc-server/column-store/native'
import { attributesOf } from '../dialects/registry.ts'
import { findFirst, forColumn } from '../rules/rules.ts'
import { isTrue } from '../rules/words.ts'
import { Content } from '../span-view/content.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { type ColumnWriter, writeFill } from './column-writer.ts'
import { writeTags } from './tags.ts'
import { readTraceText } from './trace-text.ts'

export const userRules = forColumn('user_id', attributesOf('user_id'))
export const sessionRules = forColumn('session_id', attributesOf('session_id'))
/** An empty list is a value, too: it states that the trace has no tags. */
export const tagRules = forColumn('tags', attributesOf('tags'))
export const publicRules = forColumn('public', attributesOf('public'))
export const traceNameRules = forColumn('trace_name', attributesOf('trace_name'))
export const appRootRules = forColumn('is_app_root', attributesOf('is_app_root'))
export const asRootRules = attributesOf('as_root')

export function traceColumns(block: BlockBuilder): ColumnWriter {
  const userId = block.column('user_id', StringColumn)
  const sessionId = block.column('session_id', StringColumn)
  const traceName = block.column('trace_name', StringColumn)
  const tags = block.column('tags', ArrayColumn)
  const isPublic = block.column('public', NumberColumn)
  const isAppRoot = block.column('is_app_root', NumberColumn)
  const text = new Content()

  function writeOrFill(column: StringColumn, row: number, span: SpanView, name: string, entry: number, fill: string | undefined): void {
    if (entry < 0) writeFill(column, row, span, name, fill)
    else {
      readTraceText(text, span, entry)
      column.text(row, text.source, text.start, text.end)
    }
  }

  function fillTags(row: number, span: SpanView, values: readonly string[]): void {
    span.explanation?.found('tags', 'fill-in of the trace')
    const out = tags.open(row)
    for (const value of values) out.string(value)
    tags.added(values.length)
  }

  return (row, span) => {
    const { fill } = span.context
    writeOrFill(userId, row, span, 'user_id', findFirst(span, userRules), fill?.userId)
    writeOrFill(sessionId, row, span, 'session_id', findFirst(span, sessionRules), fill?.sessionId)
    writeOrFill(traceName, row, span, 'trace_name', findFirst(span, traceNameRules), fill?.name)
    const tagEntry = findFirst(span, tagRules)
    if (tagEntry >= 0) tags.added(writeTags(tags.open(row), span, tagEntry))
    else if (fill?.tags !== undefined) fillTags(row, span, fill.tags)
    const publicEntry = findFirst(span, publicRules)
    if (publicEntry >= 0 ? isTrue(span, publicEntry) : fill?.public === true) isPublic.set(row, 1)
    if (isTrue(span, findFirst(span, appRootRules))) isAppRoot.set(row, 1)
  }
}

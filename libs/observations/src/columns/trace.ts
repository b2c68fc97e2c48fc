// What a span says about its trace: user, session, tags, name, publicity. Read on every span; the fill-in counts where the span says nothing.
import { ArrayColumn, type BlockBuilder, NumberColumn, StringColumn } from '@svc-server/column-store/native'
import { type AttributeRule, findFirst, forColumn, spanAttribute } from '../rules/rules.ts'
import { isTrue } from '../rules/words.ts'
import { Content } from '../span-view/content.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { type ColumnWriter, writeFill } from './column-writer.ts'
import { writeTags } from './tags.ts'
import { readTraceText } from './trace-text.ts'

export const userRules = forColumn<readonly AttributeRule[]>('user_id', [
  spanAttribute('svc.user.id'),
  spanAttribute('user.id'),
  spanAttribute('svc.observation.metadata.svc_user_id'),
  spanAttribute('svc.trace.metadata.svc_user_id'),
  spanAttribute('ai.telemetry.metadata.userId'),
  spanAttribute('ai.settings.context.userId'),
])
export const sessionRules = forColumn<readonly AttributeRule[]>('session_id', [
  spanAttribute('svc.session.id'),
  spanAttribute('session.id'),
  spanAttribute('gen_ai.conversation.id'),
  spanAttribute('svc.observation.metadata.svc_session_id'),
  spanAttribute('svc.trace.metadata.svc_session_id'),
  spanAttribute('ai.telemetry.metadata.sessionId'),
  spanAttribute('ai.settings.context.sessionId'),
])
/** An empty list is found as well: it says that there are no tags. */
export const tagRules = forColumn<readonly AttributeRule[]>('tags', [
  spanAttribute('svc.trace.tags'),
  spanAttribute('svc.tags'),
  spanAttribute('svc.observation.metadata.svc_tags'),
  spanAttribute('svc.trace.metadata.svc_tags'),
  spanAttribute('ai.telemetry.metadata.tags'),
  spanAttribute('ai.settings.context.tags'),
  spanAttribute('tag.tags'),
])
export const publicRules = forColumn('public', [spanAttribute('svc.trace.public', 'set'), spanAttribute('svc.public', 'set')])
export const traceNameRules = forColumn('trace_name', [spanAttribute('svc.trace.name', 'set')])
export const appRootRules = forColumn('is_app_root', [spanAttribute('svc.internal.is_app_root', 'set')])
/** A span that stands for its trace although it has a parent. No column shows it. */
export const asRootRules = [spanAttribute('svc.internal.as_root', 'set')]

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
    span.trail?.found('tags', 'fill-in of the trace')
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

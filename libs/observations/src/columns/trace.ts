// What a span says about its trace: user, session, tags, name, publicity. Read on every span; the fill-in counts where the span says nothing.
import { ArrayColumn, type BlockBuilder, NumberColumn, StringColumn } from '@svc-server/column-store/native'
import { emptyValue, forEachElement, readAnyValue, valueKind } from '../attributes/any-value.ts'
import { isJsonObject, numberText, parseJson, wireText } from '../attributes/json-text.ts'
import { keyNumber } from '../attributes/keys.ts'
import { type AttributeRule, findFirst, spanAttribute } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, renderText, writeAttribute } from './column-writer.ts'
import { isTrue } from './words.ts'

export const userRules: readonly AttributeRule[] = [
  spanAttribute('svc.user.id'),
  spanAttribute('user.id'),
  spanAttribute('svc.observation.metadata.svc_user_id'),
  spanAttribute('svc.trace.metadata.svc_user_id'),
  spanAttribute('ai.telemetry.metadata.userId'),
]
export const sessionRules: readonly AttributeRule[] = [
  spanAttribute('svc.session.id'),
  spanAttribute('session.id'),
  spanAttribute('gen_ai.conversation.id'),
  spanAttribute('svc.observation.metadata.svc_session_id'),
  spanAttribute('svc.trace.metadata.svc_session_id'),
  spanAttribute('ai.telemetry.metadata.sessionId'),
]
/** An empty list is found as well: it says that there are no tags. */
export const tagRules: readonly AttributeRule[] = [
  spanAttribute('svc.trace.tags'),
  spanAttribute('svc.tags'),
  spanAttribute('svc.observation.metadata.svc_tags'),
  spanAttribute('svc.trace.metadata.svc_tags'),
  spanAttribute('ai.telemetry.metadata.tags'),
  spanAttribute('tag.tags'),
]
export const publicRules: readonly AttributeRule[] = [spanAttribute('svc.trace.public', 'set'), spanAttribute('svc.public', 'set')]
export const traceNameRules: readonly AttributeRule[] = [spanAttribute('svc.trace.name', 'set')]
const appRootKey = keyNumber('svc.internal.is_app_root')

export function traceColumns(block: BlockBuilder): ColumnWriter {
  const userId = block.column('user_id', StringColumn)
  const sessionId = block.column('session_id', StringColumn)
  const traceName = block.column('trace_name', StringColumn)
  const tags = tagWriter(block.column('tags', ArrayColumn))
  const isPublic = block.column('public', NumberColumn)
  const isAppRoot = block.column('is_app_root', NumberColumn)

  return (row, span) => {
    const { fill } = span.context
    writeOrFill(userId, row, span, findFirst(span, userRules), fill?.userId)
    writeOrFill(sessionId, row, span, findFirst(span, sessionRules), fill?.sessionId)
    writeOrFill(traceName, row, span, findFirst(span, traceNameRules), fill?.name)
    const tagEntry = findFirst(span, tagRules)
    if (tagEntry >= 0) tags.attribute(row, span, tagEntry)
    else if (fill?.tags !== undefined) tags.list(row, fill.tags)
    const publicEntry = findFirst(span, publicRules)
    if (publicEntry >= 0 ? isTrue(span, publicEntry) : fill?.public === true) isPublic.set(row, 1)
    if (isTrue(span, span.own.get(appRootKey))) isAppRoot.set(row, 1)
  }
}

function writeOrFill(column: StringColumn, row: number, span: SpanView, entry: number, fill: string | undefined): void {
  if (entry >= 0) writeAttribute(column, row, span, entry)
  else if (fill !== undefined) column.string(row, fill)
}

function tagWriter(column: ArrayColumn) {
  const element = emptyValue()

  function list(row: number, values: readonly string[]): void {
    const out = column.open(row)
    for (const value of values) out.string(value)
    column.added(values.length)
  }

  /** A list as it is; text as a JSON list, else cut at commas, else one tag; numbers and booleans are no tags. */
  function attribute(row: number, span: SpanView, entry: number): void {
    const { source } = span
    const value = span.attributes.value(entry)
    if (value.kind === valueKind.text) {
      list(row, tagsOfText(wireText(source, value.start, value.end)))
    } else if (value.kind === valueKind.array) {
      const out = column.open(row)
      let count = 0
      forEachElement(source.bytes, value, (start, end) => {
        readAnyValue(source, start, end, element)
        count++
        if (element.kind === valueKind.text) {
          out.text(source, element.start, element.end)
          return
        }
        const text = renderText(source, element)
        out.text(text, 0, text.length)
      })
      column.added(count)
    }
  }

  return { list, attribute }
}

function tagsOfText(text: string): readonly string[] {
  if (text.trimStart().startsWith('[')) {
    const parsed = parseJson(text)
    if (Array.isArray(parsed)) return parsed.map(tagText)
  }
  return text.includes(',') ? text.split(',').map(part => part.trim()) : [text]
}

const tagText = (value: unknown): string => {
  if (typeof value === 'string') return value
  return numberText(value) ?? (isJsonObject(value) || Array.isArray(value) ? jsonOrEmpty(value) : String(value))
}

/** A list nested beyond what can be written again is left empty rather than thrown. */
const jsonOrEmpty = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

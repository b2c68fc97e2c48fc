// What a span says about its trace: user, session, tags, name, publicity. Read on every span; the fill-in counts where the span says nothing.
import { ArrayColumn, type BlockBuilder, NumberColumn, StringColumn } from '@svc-server/column-store/native'
import { emptyValue, forEachElement, readAnyValue, valueKind } from '../attributes/any-value.ts'
import { isJsonObject, numberText, parseJson, wireText } from '../attributes/json-text.ts'
import { keyFlag } from '../attributes/key-table.ts'
import { type AttributeRule, findFirst, forColumn, spanAttribute } from '../rules.ts'
import type { SpanView } from '../span-view.ts'
import { type ColumnWriter, renderText, writeAttribute, writeFill } from './column-writer.ts'
import { isTrue } from './words.ts'

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

export function traceColumns(block: BlockBuilder): ColumnWriter {
  const userId = block.column('user_id', StringColumn)
  const sessionId = block.column('session_id', StringColumn)
  const traceName = block.column('trace_name', StringColumn)
  const tags = tagWriter(block.column('tags', ArrayColumn))
  const isPublic = block.column('public', NumberColumn)
  const isAppRoot = block.column('is_app_root', NumberColumn)

  return (row, span) => {
    const { fill } = span.context
    writeOrFill(userId, row, span, 'user_id', findFirst(span, userRules), fill?.userId)
    writeOrFill(sessionId, row, span, 'session_id', findFirst(span, sessionRules), fill?.sessionId)
    writeOrFill(traceName, row, span, 'trace_name', findFirst(span, traceNameRules), fill?.name)
    const tagEntry = findFirst(span, tagRules)
    if (tagEntry >= 0) tags.attribute(row, span, tagEntry)
    else if (fill?.tags !== undefined) {
      span.trail?.found('tags', 'fill-in of the trace')
      tags.list(row, fill.tags)
    }
    const publicEntry = findFirst(span, publicRules)
    if (publicEntry >= 0 ? isTrue(span, publicEntry) : fill?.public === true) isPublic.set(row, 1)
    if (isTrue(span, findFirst(span, appRootRules))) isAppRoot.set(row, 1)
  }
}

function writeOrFill(column: StringColumn, row: number, span: SpanView, name: string, entry: number, fill: string | undefined): void {
  if (entry < 0) writeFill(column, row, span, name, fill)
  else {
    const decoded = encodedText(span, entry)
    if (decoded === undefined) writeAttribute(column, row, span, entry)
    else column.string(row, decoded)
  }
}

/** The newest SDKs encode metadata as JSON, also what it says about the trace: "u" is the user u. */
function encodedText(span: SpanView, entry: number): string | undefined {
  const { keys, kinds, starts, ends, table } = span.attributes
  if (!span.jsonMetadata || kinds[entry] !== valueKind.text || (table.flags(keys[entry]!) & metadataFlags) === 0) return undefined
  const parsed = parseJson(wireText(span.source, starts[entry]!, ends[entry]!))
  return typeof parsed === 'string' ? parsed : undefined
}
const metadataFlags = keyFlag.observationMetadata | keyFlag.traceMetadata

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
      list(row, tagsOfText(encodedText(span, entry) ?? wireText(source, value.start, value.end)))
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

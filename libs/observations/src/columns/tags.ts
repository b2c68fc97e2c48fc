// Reads a trace's tags from any kind of value.
import type { ByteSource } from '@svc-server/column-store/native'
import { emptyValue, forEachElement, readAnyValue, valueKind } from '../span-view/any-value.ts'
import { isJsonObject, numberText, parseJson, wireText } from '../span-view/json-text.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { decodedText } from './trace-text.ts'

/** Receives tags one by one. */
export interface TagSink {
  string(value: string): void
  text(source: ByteSource, start: number, end: number): void
}

const read = emptyValue()
const element = emptyValue()

/**
 * Each element of a list is a tag. If a text is a JSON list, each element of this list is a tag. Any other text is split at commas, or is
 * one tag if it has no comma. A value that is a number or a boolean gives no tags. Returns the number of tags.
 */
export function writeTags(out: TagSink, span: SpanView, entry: number): number {
  const { source } = span
  const value = span.attributes.valueIn(read, entry)
  if (value.kind === valueKind.text) {
    const tags = tagsOfText(decodedText(span, entry) ?? wireText(source, value.start, value.end))
    for (const tag of tags) out.string(tag)
    return tags.length
  }
  if (value.kind !== valueKind.array) return 0
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
  return count
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

/** Returns an empty list if the value is nested too deeply to serialize. */
const jsonOrEmpty = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

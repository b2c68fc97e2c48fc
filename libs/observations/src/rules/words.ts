// Recognizes the words of small, fixed vocabularies by comparing bytes.
import { ByteDictionary, type ByteSource, sourceOf } from '@svc-server/column-store/native'
import { valueKind } from '../span-view/any-value.ts'
import type { SpanView } from '../span-view/span-view.ts'

export type Words<T> = (source: ByteSource, start: number, end: number) => T | undefined

export function words<T>(table: Readonly<Record<string, T>>): Words<T> {
  const keys = new ByteDictionary()
  const values: T[] = []
  for (const [key, value] of Object.entries(table)) {
    const source = sourceOf(key)
    values[keys.add(source, 0, source.bytes.length)] = value
  }
  return (source, start, end) => {
    const number = keys.find(source, start, end)
    return number < 0 ? undefined : values[number]
  }
}

export function wordOf<T>(span: SpanView, key: number, table: Words<T>): T | undefined {
  const entry = span.own.get(key)
  if (entry < 0 || span.attributes.kinds[entry] !== valueKind.text) return undefined
  const word = table(span.source, span.attributes.starts[entry]!, span.attributes.ends[entry]!)
  if (word !== undefined && span.explanation !== null) span.explanation.used(span, entry)
  return word
}

/** True for the boolean value `true` and for the text "true". */
export function isTrue(span: SpanView, entry: number): boolean {
  if (entry < 0) return false
  const { kinds, numbers, starts, ends } = span.attributes
  if (kinds[entry] === valueKind.bool) return numbers[entry] === 1
  return kinds[entry] === valueKind.text && trueText(span.source, starts[entry]!, ends[entry]!) === true
}
const trueText = words({ true: true })

// Values of the old tables as responses show them: no text is null, and JSON of clients comes as what it is.
import { objectOf, parseStoredJson } from '@svc-server/json'
import { isoOfMillis } from '../times.ts'

/** No value is the empty text in the column store, and null on the wire. */
export const orNull = (text: string | null): string | null => text || null
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOfMillis(ms))

/** What is JSON comes as such. */
export function parsed(text: string | null | undefined): unknown {
  if (text === null || text === undefined || text === '') return null
  try {
    return parseStoredJson(text)
  } catch {
    return text
  }
}

/** Of an object of texts, which the column store wrote. */
export function metadataOf(json: string): Readonly<Record<string, unknown>> {
  const texts = parsed(json)
  if (typeof texts !== 'object' || texts === null) return {}
  return objectOf(Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? (text === '' ? '' : parsed(text)) : text]))
}

// Values of the v3 tables in responses: an empty text becomes null, and the clients' JSON is parsed.
import { objectOf, parseStoredJson } from '@svc-server/json'
import { isoOfMillis } from '../times.ts'

/** The column store stores a missing value as empty text; responses show null. */
export const orNull = (text: string | null): string | null => text || null
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOfMillis(ms))

/** Parses text that is valid JSON; any other text stays unchanged. */
export function parsed(text: string | null | undefined): unknown {
  if (text === null || text === undefined || text === '') return null
  try {
    return parseStoredJson(text)
  } catch {
    return text
  }
}

/** Parses the JSON text of an object whose values are texts. The column store has created this JSON text. */
export function metadataOf(json: string): Readonly<Record<string, unknown>> {
  const texts = parsed(json)
  if (typeof texts !== 'object' || texts === null) return {}
  return objectOf(Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? (text === '' ? '' : parsed(text)) : text]))
}

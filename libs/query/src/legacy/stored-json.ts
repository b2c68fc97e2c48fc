import { objectOf, parseStoredJson } from '@svc-server/json'
import { isoOfMillis } from '../times.ts'

/** Turns an empty text into null, because missing values are stored as empty texts. */
export const orNull = (text: string | null): string | null => text || null
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOfMillis(ms))

/** Text that is not valid JSON stays unchanged. */
export function parsed(text: string | null | undefined): unknown {
  if (text === null || text === undefined || text === '') return null
  try {
    return parseStoredJson(text)
  } catch {
    return text
  }
}

/** `json` comes from the column store, and its values are texts. */
export function metadataOf(json: string): Readonly<Record<string, unknown>> {
  const texts = parsed(json)
  if (typeof texts !== 'object' || texts === null) return {}
  return objectOf(Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? (text === '' ? '' : parsed(text)) : text]))
}

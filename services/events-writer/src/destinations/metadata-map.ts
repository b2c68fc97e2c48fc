// Turns JSON text into a map from names to texts, the form in which v3 stores metadata.
import { isJsonObject, jsonText, parseJson } from '@svc-server/observations/json-text'

/**
 * Only the top level is split into entries. A value that is not text becomes JSON text, and a document that is not an object is stored
 * under a fixed name (contract §14.4).
 */
export function metadataMap(text: string | null): readonly (readonly [string, string])[] {
  if (text === null) return []
  const value = parseJson(text)
  if (value === null) return []
  const members = isJsonObject(value) ? Object.entries(value) : [['metadata', value ?? text] as const]
  return members.flatMap(([name, member]) => {
    const shown = typeof member === 'string' ? member : jsonText(member)
    return member === null || shown === undefined ? [] : [[name, shown] as const]
  })
}

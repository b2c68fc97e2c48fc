// Turns JSON text into v3's form of metadata: a map from names to texts.
import { isJsonObject, jsonText, parseJson } from '@svc-server/observations/json-text'

/**
 * Splits only the top level. Members that are not texts become JSON text. A document that is not an object becomes one entry with a fixed
 * name (contract §14.4).
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

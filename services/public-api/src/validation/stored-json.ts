// Parses stored JSON, and JSON in parameters. For bodies, see `parse-json.ts`.
import { parseExactJson, parseJson } from '@svc-server/json'

/** Numbers keep all of their digits. Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

/** Parses a query parameter into JavaScript numbers; undefined for invalid JSON. */
export function parameterJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

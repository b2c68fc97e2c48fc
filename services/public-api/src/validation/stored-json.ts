// For bodies, see `parse-json.ts`.
import { parseExactJson, parseJson } from '@svc-server/json'

/** Keeps all digits of numbers. Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

/** Undefined for invalid JSON. */
export function parameterJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

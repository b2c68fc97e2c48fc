// Parses JSON text that this service stored, and JSON in parameters. `parse-json.ts` parses bodies, because large ones go to a thread.
import { parseExactJson, parseJson } from '@svc-server/json'

/** Numbers keep all of their digits. Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

/** The JSON of a query parameter; numbers are plain numbers. Undefined for invalid JSON. */
export function parameterJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

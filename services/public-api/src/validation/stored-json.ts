// Parses JSON text that this service stored, and JSON in parameters. `parse-json.ts` parses bodies, because a thread parses large bodies.
import { parseExactJson, parseJson } from '@svc-server/json'

/** Numbers keep all of their digits. Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

/** The JSON of a query parameter; its numbers become JavaScript numbers. Returns undefined for invalid JSON. */
export function parameterJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

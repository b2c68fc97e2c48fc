// Parses JSON text that this service stored, and JSON in parameters. Bodies are parsed by `parse-json.ts`, which worker threads can use for
// large bodies.
import { parseExactJson, parseJson } from '@svc-server/json'

/** Numbers keep all of their digits. Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

/** Parses the JSON of a query parameter; its numbers become JavaScript numbers. Returns undefined for invalid JSON. */
export function parameterJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

// Parses JSON text from a store or a parameter. `parse-json.ts` parses bodies, because large ones go to a thread.
import { parseExactJson } from '@svc-server/json'

/** Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

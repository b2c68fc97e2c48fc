// Parses JSON text that this service stored or will store. `parse-json.ts` parses bodies, because large ones go to a thread.
import { parseExactJson } from '@svc-server/json'

/** Numbers keep all of their digits. Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

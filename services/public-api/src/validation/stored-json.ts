// JSON text that the server has checked or stored itself, or that stands in a parameter. A body's is read where large ones go to a thread.
import { parseExactJson } from '@svc-server/json'

/** Throws SyntaxError for invalid JSON. */
export const storedJson = (text: string): unknown => parseExactJson(text)

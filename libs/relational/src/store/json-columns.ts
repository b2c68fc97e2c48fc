// How both stores read columns of JSON: what tenants have put there is read as it is written, as everywhere (ADR 0038).
import { parseJson } from '@svc-server/json'

/** PostgreSQL's numbers of `json` and `jsonb`. */
const jsonTypes = [114, 3802]

export const jsonParsers: Readonly<Record<number, (text: string) => unknown>> = Object.fromEntries(
  jsonTypes.map(type => [type, (text: string) => parseJson(text)]),
)

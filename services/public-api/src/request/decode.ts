import { styleOf } from '@svc-server/api/fields/query'
import type { z } from 'zod'
import { decodeWith } from '../validation/decode-with.ts'
import { InvalidBody } from '../validation/invalid-body.ts'
import { refused } from '../validation/refusals.ts'

interface Shaped {
  readonly shape: Readonly<Record<string, z.ZodType>>
  readonly _zod: { readonly def: { readonly catchall?: unknown } }
}

/**
 * Throws InvalidBody for an invalid query. If a request repeats a key that the operation uses, the request is refused, because the choice
 * between the values would be arbitrary. Only keys of the style `repeated` can be given more than once.
 */
export function decodeQuery(schema: z.ZodType, query: URLSearchParams): unknown {
  const { shape, _zod } = schema as unknown as Shaped
  const isStrict = _zod.def.catchall !== undefined
  const given = new Map<string, string | string[]>()
  for (const [key, value] of query) {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (field === undefined && !isStrict) continue
    const before = given.get(key)
    if (before === undefined) given.set(key, field !== undefined && styleOf(field) === 'repeated' ? [value] : value)
    else if (Array.isArray(before)) before.push(value)
    else throw new InvalidBody(refused('The key is given more than once.', [key.slice(0, 100)]), 'query')
  }
  return decodeWith(schema, Object.fromEntries(given), 'query')
}

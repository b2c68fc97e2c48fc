import type { z } from 'zod'
import { InvalidBody } from './invalid-body.ts'
import { issuesOf } from './refusals.ts'

/** Throws InvalidBody. */
export function decodeWith<Schema extends z.ZodType>(schema: Schema, given: unknown, of: 'body' | 'query' = 'body'): z.output<Schema> {
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error), of)
  return parsed.data
}

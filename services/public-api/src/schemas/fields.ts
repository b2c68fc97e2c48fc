// Kinds of fields that bodies share. The schemas are the one source: types, validation, and what the fuzz
// test sends.
import { z } from 'zod'
import { microsOf } from './times.ts'

/** Clients send null for what they do not know (public-api.md §0.2). */
export const text = z.string().nullish()

/** Ids are any string; they stand in keys of the log and of states, so they end somewhere. */
export const maxIdLength = 800
export const id = z.string().min(1).max(maxIdLength)
/** An empty one counts as absent. */
export const optionalId = z.string().max(maxIdLength).nullish()

export const isoTime = z.string().refine(value => microsOf(value) !== undefined, {
  message: 'Expected an ISO 8601 date and time with Z or an offset, of the years 1900 to 2299.',
})
export const optionalTime = isoTime.nullish()

const valuesOf = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

/** What the members of such an object are; undefined for other schemas. */
export const valueOfRecord = (schema: z.core.$ZodType): z.core.$ZodType | undefined => valuesOf.get(schema)

/**
 * An object with members of any names, which is handed on as it is: `value` may not change what it checks. Not `z.record`, which makes another one member
 * by member: `{"1023":1}` would take 12 KB (objectOf of `@svc-server/json` says why), and a batch of them the process.
 */
export function recordOf<Value extends z.ZodType>(value: Value): z.ZodType<Record<string, z.output<Value>>> {
  const schema = z.custom<Record<string, z.output<Value>>>().superRefine((members: unknown, context) => {
    if (typeof members !== 'object' || members === null || Array.isArray(members)) {
      context.addIssue({ code: 'invalid_type', expected: 'record', input: members })
      return
    }
    for (const [name, member] of Object.entries(members)) {
      const { error } = value.safeParse(member)
      for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: [name, ...issue.path] })
    }
  })
  valuesOf.set(schema, value)
  return schema
}

/** Any JSON. */
export const json = z.unknown().optional()

export const level = z.enum(['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']).nullish()

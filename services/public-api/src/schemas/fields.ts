// Kinds of fields that bodies share. The schemas are the one source: types, validation, and what the fuzz
// test sends.
import { z } from 'zod'
import { maxIssues } from '../limits.ts'
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
const elementsOf = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

/** What the members of such an object are; undefined for other schemas. */
export const valueOfRecord = (schema: z.core.$ZodType): z.core.$ZodType | undefined => valuesOf.get(schema)

/** What the elements of such a list are; undefined for other schemas. */
export const elementOfList = (schema: z.core.$ZodType): z.core.$ZodType | undefined => elementsOf.get(schema)

interface Members {
  readonly keys: Iterable<string | number>
  readonly of: (key: never) => unknown
}

/** What is wrong with members, up to the last issue that an answer names: a body of millions of wrong members would take gigabytes. */
function addIssues(schema: z.ZodType, { keys, of }: Members, add: (issue: z.core.$ZodIssue) => void): void {
  let added = 0
  for (const key of keys) {
    for (const issue of schema.safeParse(of(key as never)).error?.issues ?? []) {
      add({ ...issue, path: [key, ...issue.path] })
      added++
    }
    if (added >= maxIssues) return
  }
}

/**
 * An object with members of any names, which is handed on as it is: `value` may not change what it checks. Not `z.record`, which makes another one member
 * by member: `{"1023":1}` would take 12 KB (objectOf of `@svc-server/json` says why), and a batch of them the process.
 */
export function recordOf<Value extends z.ZodType>(value: Value): z.ZodType<Record<string, z.output<Value>>> {
  const schema = z.custom<Record<string, z.output<Value>>>().superRefine((given: unknown, context) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      context.addIssue({ code: 'invalid_type', expected: 'record', input: given })
      return
    }
    const members = given as Readonly<Record<string, unknown>>
    addIssues(value, { keys: Object.keys(members), of: (name: string) => members[name] }, issue => context.addIssue({ ...issue }))
  })
  valuesOf.set(schema, value)
  return schema
}

/** A list of any length, which is handed on as it is, as a record is: `z.array` makes an issue for each element that is wrong. */
export function listOf<Element extends z.ZodType>(
  element: Element,
  ...sizes: readonly z.core.$ZodCheck<z.output<Element>[]>[]
): z.ZodType<z.output<Element>[]> {
  const schema = z.custom<z.output<Element>[]>().check(
    ({ value, issues }) => {
      if (!Array.isArray(value)) issues.push({ code: 'invalid_type', expected: 'array', input: value })
    },
    ...sizes,
    ({ value, issues }) => {
      // Of a list of the wrong size nothing else is said.
      if (issues.length > 0) return
      addIssues(element, { keys: value.keys(), of: (at: number) => value[at] }, issue => issues.push(issue as z.core.$ZodRawIssue))
    },
  )
  elementsOf.set(schema, element)
  return schema
}

/** Any JSON. */
export const json = z.unknown().optional()

export const level = z.enum(['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']).nullish()

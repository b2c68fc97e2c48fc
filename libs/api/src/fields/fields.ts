// Field schemas that several bodies share.
import { z } from 'zod'
import { describedAs, nested } from './json-schema.ts'
import { maxIssues } from './limits.ts'
import { microsOf } from './times.ts'

export const isSet = (value: string | null | undefined): value is string => value !== undefined && value !== null && value !== ''

/** A text that can be missing. Clients send null for unknown values (contract §16.2). */
export const text = z.string().nullish()

/** The length of an id is limited, because ids are part of keys on the log and of stored state. */
export const maxIdLength = 800
export const id = z.string().min(1).max(maxIdLength)
/** An empty id is treated as absent. */
export const optionalId = z.string().max(maxIdLength).nullish()

const noNul = (value: string) => !value.includes('\0') && value.isWellFormed()

/** Text for the relational store, which cannot hold NUL or an unpaired surrogate. */
export const storedText = z.string().refine(noNul, { message: 'Must not contain NUL characters or unpaired surrogates.' })

/** Like `storedText`, but with 1 to `max` characters. */
export const storedName = (max: number) =>
  z.string().min(1).max(max).refine(noNul, { message: 'Must not contain NUL characters or unpaired surrogates.' })

/** Like `storedName`, but removes surrounding white space first. */
export const trimmedName = (max: number) =>
  z.string().trim().min(1).max(max).refine(noNul, { message: 'Must not contain NUL characters or unpaired surrogates.' })

export const isoTime = z
  .string()
  .refine(value => microsOf(value) !== undefined, {
    message: 'Expected an ISO 8601 date and time in the years 1900 to 2299, with Z or an offset.',
  })
  .meta({ format: 'date-time' })
export const optionalTime = isoTime.nullish()

/** Clients send ISO text, and the handler receives a Date in whole milliseconds. */
export const instant = isoTime.transform(value => new Date(Math.floor(microsOf(value)! / 1000)))

/** A time in a response: ISO 8601 with milliseconds and Z. */
export const responseTime = z.string().meta({ format: 'date-time' })

/** Any JSON value. */
export const json = z.unknown().optional()

/**
 * Clients send any JSON value, and the handler receives its JSON text. A client's value never crosses threads as an object, and never
 * enters a store as an object (ADR 0038).
 */
export const jsonText = z
  .unknown()
  .transform(value => (value === undefined ? undefined : JSON.stringify(value)))
  .optional()

export const level = z.enum(['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']).nullish()

const valuesOf = new WeakMap<z.core.$ZodType, z.core.$ZodType>()
const elementsOf = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

/** Returns the schema of the values of a `recordOf` schema, and undefined for any other schema. */
export const valueOfRecord = (schema: z.core.$ZodType): z.core.$ZodType | undefined => valuesOf.get(schema)

/** Returns the schema of the elements of a `listOf` schema, and undefined for any other schema. */
export const elementOfList = (schema: z.core.$ZodType): z.core.$ZodType | undefined => elementsOf.get(schema)

interface Members {
  readonly keys: Iterable<string | number>
  readonly of: (key: never) => unknown
}

/** Adds only as many issues as a response lists. All issues of a body with millions of wrong members would take gigabytes. */
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
 * Schema of an object with arbitrary member names. `z.record` would copy the object member by member. A copy of `{"1023":1}` would take
 * 12 KB for the slots of all lower indexes, so a batch could exhaust the memory (see `objectOf` of `@svc-server/json`). This schema returns
 * the same object, so the schema `value` must not transform the members.
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
  return describedAs(schema, () => ({ type: 'object', additionalProperties: nested(value) }))
}

export interface ListSize {
  readonly min?: number
  readonly max?: number
  readonly message?: string
}

const checksOf = ({ min, max, message }: ListSize) => [
  ...(min === undefined ? [] : [z.minLength(min, message)]),
  ...(max === undefined ? [] : [z.maxLength(max, message)]),
]

/**
 * Schema of a list. Like the schema of `recordOf`, this schema returns the given list itself, not a copy, and limits the number of issues.
 * `z.array` would report an issue for each wrong element.
 */
export function listOf<Element extends z.ZodType>(element: Element, ...sizes: readonly ListSize[]): z.ZodType<z.output<Element>[]> {
  const schema = z.custom<z.output<Element>[]>().check(
    ({ value, issues }) => {
      if (!Array.isArray(value)) issues.push({ code: 'invalid_type', expected: 'array', input: value })
    },
    ...sizes.flatMap(checksOf),
    ({ value, issues }) => {
      // If the list has a wrong size, no other issue is reported.
      if (issues.length > 0) return
      addIssues(element, { keys: value.keys(), of: (at: number) => value[at] }, issue => issues.push(issue as z.core.$ZodRawIssue))
    },
  )
  elementsOf.set(schema, element)
  const { min: minItems, max: maxItems } = Object.assign({}, ...sizes) as ListSize
  return describedAs(schema, () => ({
    ...{ type: 'array', items: nested(element) },
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
  }))
}

const itemsOf = new WeakMap<z.core.$ZodType, z.core.$ZodType>()

/**
 * Returns a schema for items that the operation itself checks, so that the operation can reject items individually. The returned schema
 * accepts any value. The API documentation shows `schema` instead of the returned schema.
 */
export function itemwise(schema: z.ZodType): z.ZodType<unknown> {
  const item = z.unknown()
  itemsOf.set(item, schema)
  return describedAs(item, () => nested(schema))
}

/** Returns the schema of the items of an `itemwise` schema, and undefined for any other schema. */
export const schemaOfItem = (schema: z.core.$ZodType): z.core.$ZodType | undefined => itemsOf.get(schema)

// Generates random valid values from a schema. The tests therefore also cover fields that are added later. Many strings are difficult:
// empty or long texts, numbers and times as text, NUL, lone surrogates, and names of object built-ins.
import { elementOfList, schemaOfItem, valueOfRecord } from '@svc-server/api/fields/fields'
import fc from 'fast-check'
import type { z } from 'zod'

export const awkwardText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  fc.constantFrom('', ' ', '\0', '\ud800', '__proto__', 'constructor', 'null', '0', '1e400', ',,', '%', 'true'),
  fc.constantFrom(
    new Date().toISOString(),
    '2024-02-30T00:00:00Z',
    '9999-12-31T23:59:59.999999+14:00',
    new Date().toISOString().slice(0, 10),
  ),
  fc.integer({ min: 500, max: 2000 }).map(length => 'x'.repeat(length)),
)
const now = fc.integer({ min: 0, max: 1_000_000 }).map(ms => new Date(Date.now() - ms).toISOString())
/** Generates texts, often from a small set. Several values can therefore have the same id. */
const texts = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'number', 'category', 'n') },
  { weight: 2, arbitrary: now },
  awkwardText,
)
const numbers = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, -0, 2 ** 53, 1e308, -1))

/** Generates any JSON with few levels. */
export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })

/**
 * Generates values that `schema` accepts, except that they can violate its refinements. If this function does not know the type of a
 * schema, the values are arbitrary JSON.
 */
export function takenBy(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const value = valueOfRecord(schema)
  if (value !== undefined) return fc.dictionary(awkwardText, takenBy(value), { maxKeys: 4 })
  const element = elementOfList(schema)
  if (element !== undefined) return fc.array(takenBy(element), { maxLength: 4 })
  const item = schemaOfItem(schema)
  if (item !== undefined) return takenBy(item)
  const { def } = schema._zod as unknown as { readonly def: AnyDef }
  switch (def.type) {
    case 'object':
      return fc.record(Object.fromEntries(Object.entries(def.shape!).map(([key, field]) => [key, takenBy(field)])), {
        requiredKeys: Object.entries(def.shape!).flatMap(([key, field]) => (field._zod.optin === 'optional' ? [] : [key])),
      })
    case 'string':
      return texts
    case 'number':
      return numbers
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries!))
    case 'literal':
      return fc.constantFrom(...def.values!)
    case 'union':
      return fc.oneof(...def.options!.map(takenBy))
    case 'optional':
      return takenBy(def.innerType!)
    case 'nullable':
      return fc.option(takenBy(def.innerType!), { nil: null, freq: 3 })
    case 'pipe':
      return takenBy(def.in!)
    default:
      return anyJson
  }
}

interface AnyDef {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly entries?: Readonly<Record<string, string>>
  readonly values?: readonly unknown[]
  readonly options?: readonly z.core.$ZodType[]
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
}

/** Makes a value almost valid. It replaces a part of the value, drops a key, or repeats a key with a different spelling. */
export const damaged = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(value, fc.nat(), fc.oneof(anyJson, awkwardText, numbers)).map(([whole, at, other]) => {
    const copy = structuredClone(whole)
    const places: (readonly [Record<string, unknown>, string])[] = []
    const walk = (node: unknown) => {
      if (typeof node !== 'object' || node === null) return
      for (const key of Object.keys(node)) {
        places.push([node as Record<string, unknown>, key])
        walk((node as Record<string, unknown>)[key])
      }
    }
    walk(copy)
    if (places.length === 0) return other
    const [node, key] = places[at % places.length]!
    if (at % 5 === 0) delete node[key]
    else node[key] = other
    return copy
  })

// JSON Schemas of values on the wire.
import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

const descriptions = new WeakMap<z.core.$ZodType, () => JsonSchema>()

/** Describes a schema that zod cannot describe, such as one with custom checks. */
export function describedAs<Schema extends z.ZodType>(schema: Schema, describe: () => JsonSchema): Schema {
  // A schema with checks wraps the schema without checks. zod visits both, so both get the description.
  for (let at: z.core.$ZodType | undefined = schema; at !== undefined; at = at._zod.parent) descriptions.set(at, describe)
  return schema
}

/** Returns the description that `describedAs` gave to the schema, or to the schema from which zod copied this schema. */
export function descriptionOf(schema: z.core.$ZodType): JsonSchema | undefined {
  for (let at: z.core.$ZodType | undefined = schema; at !== undefined; at = at._zod.parent) {
    const describe = descriptions.get(at)
    if (describe !== undefined) return describe()
  }
  return undefined
}

function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const {
    $schema: _,
    '~standard': __,
    ...json
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: ({ zodSchema }) => descriptionOf(zodSchema) ?? 'throw',
    override({ zodSchema, jsonSchema }) {
      const description = descriptionOf(zodSchema)
      if (description !== undefined) {
        const { id, title } = jsonSchema as { readonly id?: string; readonly title?: string }
        for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key]
        Object.assign(jsonSchema, id !== undefined && { id }, title !== undefined && { title }, description)
      }
      // The schema of a response allows unknown keys, because a later version of the server can return more keys.
      const isOpen = io === 'output' && zodSchema._zod.def.type === 'object'
      if (isOpen && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  }) as Record<string, unknown>
  return json
}

/** Returns the JSON Schema of an input, as a part of a description for `describedAs`. Named types are inlined. */
export function nested(schema: z.ZodType): JsonSchema {
  const { $defs, ...json } = convert(schema, 'input')
  return $defs === undefined ? json : inlined(json, $defs as Readonly<Record<string, JsonSchema>>)
}

/** JSON Schema (draft 2020-12) of a request. Types with an `id` are in `$defs`. Throws for a schema that JSON Schema cannot describe. */
export const requestSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'input')

export const responseSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'output')

function inlined(json: unknown, defs: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { readonly $ref?: unknown }
    const named = typeof $ref === 'string' ? defs[$ref.replace('#/$defs/', '')] : undefined
    if (named !== undefined) return walk(named)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]))
  }
  return walk(json) as JsonSchema
}

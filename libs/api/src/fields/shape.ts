// Describes schemas as data, from which documents and clients in other languages are generated. Named types stay references.
import type { z } from 'zod'
import { elementOfList, schemaOfItem, valueOfRecord } from './fields.ts'
import { descriptionOf } from './json-schema.ts'
import { styleOf } from './query.ts'

export interface Field {
  readonly shape: Shape
  readonly optional: boolean
  readonly nullable: boolean
}

export type Fields = Readonly<Record<string, Field>>

export type Shape =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'unknown' | 'null' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'record'; readonly of: Shape }
  | { readonly kind: 'union'; readonly of: readonly Shape[]; readonly discriminator?: string }
  | { readonly kind: 'object'; readonly fields: Fields }
  | { readonly kind: 'named'; readonly name: string; readonly schema: z.ZodType }

type Reader = (schema: z.core.$ZodType) => z.core.$ZodType | undefined

/**
 * If a schema has checks or metadata, further schemas wrap it. This function finds the schema of the list or record inside these wrappers.
 */
function made(schema: z.core.$ZodType, reader: Reader): z.ZodType | undefined {
  for (let at: z.core.$ZodType | undefined = schema; at !== undefined; at = at._zod.parent) {
    const found = reader(at)
    if (found !== undefined) return found as z.ZodType
  }
  return undefined
}

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly innerType?: z.ZodType
  readonly element?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly discriminator?: string
  readonly in?: z.ZodType
  readonly entries?: Readonly<Record<string, string>>
  readonly values?: readonly (string | number | boolean)[]
  readonly valueType?: z.ZodType
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def as unknown as Definition

/** A client passes a comma-separated list as a single text. */
function parameterShape(schema: z.ZodType): Shape | undefined {
  const json = descriptionOf(schema)
  if (json === undefined) return undefined
  if (styleOf(schema) === 'repeated') return { kind: 'union', of: [{ kind: 'string' }, { kind: 'list', of: { kind: 'string' } }] }
  if (Array.isArray(json['enum'])) return { kind: 'enum', values: json['enum'] as string[] }
  if (json['type'] === 'integer' || json['type'] === 'number') return { kind: 'number' }
  return { kind: json['type'] === 'boolean' ? 'boolean' : 'string' }
}

/** Ignores the schema's name. Throws for a kind of schema that no request and no response has. */
export function bodyShape(schema: z.ZodType): Shape {
  const [element, value, item] = [made(schema, elementOfList), made(schema, valueOfRecord), made(schema, schemaOfItem)]
  if (element !== undefined) return { kind: 'list', of: shapeOf(element) }
  if (value !== undefined) return { kind: 'record', of: shapeOf(value) }
  if (item !== undefined) return shapeOf(item)
  const parameter = parameterShape(schema)
  if (parameter !== undefined) return parameter
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
    case 'null':
      return { kind: definition.type }
    case 'literal':
      return { kind: 'literal', value: definition.values![0]! }
    case 'enum':
      return { kind: 'enum', values: Object.values(definition.entries!) }
    case 'array':
      return { kind: 'list', of: shapeOf(definition.element!) }
    case 'record':
      return { kind: 'record', of: shapeOf(definition.valueType!) }
    case 'union': {
      const { discriminator, options = [] } = definition
      return { kind: 'union', of: options.map(shapeOf), ...(discriminator !== undefined && { discriminator }) }
    }
    case 'object':
      return { kind: 'object', fields: fieldsOf(schema) }
    case 'pipe':
      return shapeOf(definition.in!)
    case 'optional':
    case 'nullable':
    case 'default':
      return shapeOf(definition.innerType!)
    default:
      throw new Error(
        `A schema of the kind '${definition.type}' has no shape. Add a description to the schema, or make shape.ts support this kind.`,
      )
  }
}

/** Returns a reference to the type if the schema has a name, and otherwise the type's shape. */
export function shapeOf(schema: z.ZodType): Shape {
  const { id } = (schema.meta() ?? {}) as { readonly id?: string }
  return id === undefined ? bodyShape(schema) : { kind: 'named', name: id, schema }
}

function fieldOf(schema: z.ZodType): Field {
  let [at, optional, nullable] = [schema, false, false]
  for (;;) {
    const { type, innerType, in: input } = definitionOf(at)
    if (type === 'optional' || type === 'default') optional = true
    else if (type === 'nullable') nullable = true
    // A field with a decoder is optional if the decoder's input is optional.
    else if (type !== 'pipe') break
    if (descriptionOf(at) !== undefined) break
    at = type === 'pipe' ? input! : innerType!
  }
  return { shape: shapeOf(at), optional, nullable }
}

/** True for a parameter that must be empty. The API description does not contain such a parameter. */
const isRefused = (schema: z.ZodType): boolean => descriptionOf(schema)?.['maxLength'] === 0

/** Returns the fields in the order in which they are declared. */
export function fieldsOf(schema: z.ZodType): Fields {
  const { shape = {} } = definitionOf(schema)
  const entries = Object.entries(shape).filter(([, field]) => !isRefused(field))
  return Object.fromEntries(entries.map(([name, field]) => [name, fieldOf(field)]))
}

// The part of Avro's schema language that our records use.

interface AvroField {
  readonly name: string
  readonly type: AvroSchema
  /** The default in Avro's JSON form. A reader uses the default if the writer's schema lacks the field. */
  readonly default?: null | boolean | number | string | readonly never[]
  readonly doc?: string
}

export interface AvroRecord {
  readonly type: 'record'
  readonly name: string
  readonly namespace?: string
  readonly doc?: string
  readonly fields: readonly AvroField[]
}

export interface AvroEnum {
  readonly type: 'enum'
  readonly name: string
  readonly namespace?: string
  readonly symbols: readonly string[]
}

type AvroPrimitive = 'null' | 'boolean' | 'int' | 'long' | 'double' | 'bytes' | 'string'

export type AvroSchema =
  | AvroPrimitive
  | AvroRecord
  | AvroEnum
  | { readonly type: 'array'; readonly items: AvroSchema }
  | readonly AvroSchema[]

export const isUnion = (schema: AvroSchema): schema is readonly AvroSchema[] => Array.isArray(schema)

/**
 * Returns Avro's name for a branch of a union. A reader uses the branch of its own union that has the same name as the writer's branch. If
 * the writer's branch is `int`, a branch `long` of the reader's union also matches.
 */
export const kindOf = (schema: AvroSchema): string => {
  if (typeof schema === 'string') return schema
  if (isUnion(schema)) return 'union'
  return schema.type === 'array' ? 'array' : `${schema.type} ${schema.name}`
}

// The part of Avro's schema language that the records of this product use, and that the decoder supports.

interface AvroField {
  readonly name: string
  readonly type: AvroSchema
  /** The value that the reader uses if the writer's schema does not have the field, in Avro's JSON form. */
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

/** Returns Avro's name of a branch. Schemas resolve to each other only when their names are equal. */
export const kindOf = (schema: AvroSchema): string => {
  if (typeof schema === 'string') return schema
  if (isUnion(schema)) return 'union'
  return schema.type === 'array' ? 'array' : `${schema.type} ${schema.name}`
}

// Compiles a schema into a function that skips its values. This function checks a value as strictly as a function that reads the value, but
// it creates no text or object.
import type { AvroCursor } from './cursor.ts'
import { type AvroEnum, type AvroSchema, isUnion } from './schema.ts'
import { UndecodableRecord } from './undecodable-record.ts'

export type Skip = (cursor: AvroCursor) => void

export function compileSkip(schema: AvroSchema): Skip {
  if (isUnion(schema)) return compileUnion(schema)
  if (typeof schema === 'object') {
    if (schema.type === 'enum') return compileEnum(schema)
    if (schema.type === 'array') return compileArray(compileSkip(schema.items))
    const fields = schema.fields.map(({ type }) => compileSkip(type))
    return cursor => {
      for (const skip of fields) skip(cursor)
    }
  }
  switch (schema) {
    case 'null':
      return () => {}
    case 'boolean':
      return cursor => void cursor.boolean()
    case 'int':
      return cursor => void cursor.int()
    case 'long':
      return cursor => void cursor.long()
    case 'double':
      return cursor => void cursor.double()
    case 'bytes':
    case 'string':
      return cursor => cursor.skip()
  }
}

function compileEnum({ name, symbols }: AvroEnum): Skip {
  return cursor => {
    if (symbols[cursor.int()] === undefined)
      throw new UndecodableRecord('malformed', `The record is damaged: ${name} has no symbol with this number.`)
  }
}

function compileUnion(schema: readonly AvroSchema[]): Skip {
  const branches = schema.map(compileSkip)
  return cursor => {
    const skip = branches[cursor.int()]
    if (skip === undefined) throw new UndecodableRecord('malformed', 'The record is damaged: a union has no branch with this number.')
    skip(cursor)
  }
}

function compileArray(item: Skip): Skip {
  return cursor => {
    for (let count = cursor.blockCount(); count > 0; count = cursor.blockCount()) {
      for (let i = 0; i < count; i++) item(cursor)
    }
  }
}

// Compiles a schema into a function that writes its values. Throws TypeError for a value that does not fit the schema.
import { type AvroEnum, type AvroRecord, type AvroSchema, isUnion } from './schema.ts'
import type { AvroSink } from './sink.ts'

export type Write = (sink: AvroSink, value: unknown) => void

export function compileWrite(schema: AvroSchema): Write {
  if (isUnion(schema)) return compileNullable(schema)
  if (typeof schema === 'object') {
    if (schema.type === 'record') return compileRecord(schema)
    if (schema.type === 'enum') return compileEnum(schema)
    const item = compileWrite(schema.items)
    return (sink, value) => {
      const items = value as readonly unknown[]
      if (items.length > 0) sink.long(items.length)
      for (const element of items) item(sink, element)
      sink.long(0)
    }
  }
  switch (schema) {
    case 'null':
      return () => {}
    case 'boolean':
      return (sink, value) => sink.boolean(value as boolean)
    case 'double':
      return (sink, value) => sink.double(value as number)
    case 'bytes':
      return (sink, value) => sink.bytes(value as Uint8Array)
    case 'string':
      return (sink, value) => sink.string(value as string)
    case 'int':
      return (sink, value) => {
        if (value !== ((value as number) | 0)) throw new TypeError(`Not a 32-bit integer: ${value}`)
        sink.long(value as number)
      }
    case 'long':
      return (sink, value) => sink.long(value as number)
  }
}

function compileRecord(schema: AvroRecord): Write {
  const fields = schema.fields.map(field => ({ name: field.name, write: compileWrite(field.type) }))
  return (sink, value) => {
    const record = value as Readonly<Record<string, unknown>>
    for (const { name, write } of fields) write(sink, record[name])
  }
}

function compileEnum(schema: AvroEnum): Write {
  return (sink, value) => {
    const index = schema.symbols.indexOf(value as string)
    if (index < 0) throw new TypeError(`${schema.name} has no symbol ${String(value)}`)
    sink.long(index)
  }
}

/** Compiles a union. All of our unions have null and one other type, in this order. */
function compileNullable(schema: readonly AvroSchema[]): Write {
  const [first, second, ...more] = schema
  if (first !== 'null' || second === undefined || more.length > 0) throw new TypeError('A union has to be ["null", <one type>]')
  const write = compileWrite(second)
  return (sink, value) => {
    const absent = value === null || value === undefined
    sink.long(absent ? 0 : 1)
    if (!absent) write(sink, value)
  }
}

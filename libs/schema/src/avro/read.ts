// Compiles a writer's and a reader's schema into a function, so that schema resolution runs once per version, not per record.
import type { AvroCursor } from './cursor.ts'
import { type AvroEnum, type AvroRecord, type AvroSchema, isUnion, kindOf } from './schema.ts'
import { compileSkip } from './skip.ts'
import { UndecodableRecord } from './undecodable-record.ts'

export type Read = (cursor: AvroCursor) => unknown

/** Throws TypeError if the schemas do not match. */
export function compileRead(writer: AvroSchema, reader: AvroSchema): Read {
  if (isUnion(writer)) return compileUnion(writer, reader)
  if (isUnion(reader)) {
    const branch = reader.find(candidate => resolves(writer, candidate))
    if (branch === undefined) throw incompatible(writer, reader)
    return compileRead(writer, branch)
  }
  if (!resolves(writer, reader)) throw incompatible(writer, reader)
  if (typeof writer === 'object') {
    if (writer.type === 'record') return compileRecord(writer, reader as AvroRecord)
    if (writer.type === 'enum') return compileEnum(writer, reader as AvroEnum)
    return compileArray(compileRead(writer.items, (reader as { items: AvroSchema }).items))
  }
  switch (writer) {
    case 'null':
      return () => null
    case 'boolean':
      return cursor => cursor.boolean()
    case 'int':
      return cursor => cursor.int()
    case 'long':
      return cursor => cursor.long()
    case 'double':
      return cursor => cursor.double()
    case 'bytes':
      return cursor => cursor.bytes()
    case 'string':
      return cursor => cursor.string()
  }
}

const resolves = (writer: AvroSchema, reader: AvroSchema) => kindOf(writer) === kindOf(reader) || (writer === 'int' && reader === 'long')

const incompatible = (writer: AvroSchema, reader: AvroSchema) =>
  new TypeError(`A value that was written as ${kindOf(writer)} cannot be read as ${kindOf(reader)}`)

function compileRecord(writer: AvroRecord, reader: AvroRecord): Read {
  const wanted = new Map(reader.fields.map(field => [field.name, field]))
  const steps = writer.fields.map(field => {
    const target = wanted.get(field.name)
    wanted.delete(field.name)
    return { name: target && field.name, read: target === undefined ? compileSkip(field.type) : compileRead(field.type, target.type) }
  })
  for (const field of wanted.values()) {
    if (field.default === undefined) throw new TypeError(`${reader.name}.${field.name} needs a default: older records lack it`)
  }
  const defaults = Object.fromEntries([...wanted.values()].map(field => [field.name, field.default]))
  return cursor => {
    const record: Record<string, unknown> = { ...defaults }
    for (const { name, read } of steps) {
      const value = read(cursor)
      if (name !== undefined) record[name] = value
    }
    return record
  }
}

function compileEnum(writer: AvroEnum, reader: AvroEnum): Read {
  return cursor => {
    const symbol = writer.symbols[cursor.int()]
    if (symbol === undefined || !reader.symbols.includes(symbol)) {
      throw new UndecodableRecord('malformed', `The record is damaged: ${writer.name} has no symbol with this number.`)
    }
    return symbol
  }
}

function compileUnion(writer: readonly AvroSchema[], reader: AvroSchema): Read {
  const branches = writer.map(branch => compileRead(branch, reader))
  return cursor => {
    const read = branches[cursor.int()]
    if (read === undefined) throw new UndecodableRecord('malformed', 'The record is damaged: a union has no branch with this number.')
    return read(cursor)
  }
}

function compileArray(item: Read): Read {
  return cursor => {
    const items: unknown[] = []
    for (let count = cursor.blockCount(); count > 0; count = cursor.blockCount()) {
      for (let i = 0; i < count; i++) items.push(item(cursor))
    }
    return items
  }
}

// Computes a schema's Parsing Canonical Form and CRC-64-AVRO, as the Avro specification defines them. In a record, the CRC identifies the
// record's schema.
import { type AvroSchema, isUnion } from './schema.ts'

const fullName = (name: string, namespace: string | undefined) => (namespace === undefined ? name : `${namespace}.${name}`)

/**
 * Returns the canonical form of a schema. Schemas with the same form read and write the same bytes, even if their docs and defaults differ.
 */
export function canonicalForm(schema: AvroSchema, enclosing?: string): string {
  if (typeof schema === 'string') return JSON.stringify(schema)
  if (isUnion(schema)) return `[${schema.map(branch => canonicalForm(branch, enclosing)).join(',')}]`
  if (schema.type === 'array') return `{"type":"array","items":${canonicalForm(schema.items, enclosing)}}`
  const namespace = schema.namespace ?? enclosing
  const head = `{"name":${JSON.stringify(fullName(schema.name, namespace))},"type":"${schema.type}"`
  if (schema.type === 'enum') return `${head},"symbols":${JSON.stringify(schema.symbols)}}`
  const fields = schema.fields.map(f => `{"name":${JSON.stringify(f.name)},"type":${canonicalForm(f.type, namespace)}}`)
  return `${head},"fields":[${fields.join(',')}]}`
}

const empty = 0xc15d213aa4d7a795n

const table = Array.from({ length: 256 }, (_, byte) => {
  let fp = BigInt(byte)
  for (let bit = 0; bit < 8; bit++) fp = (fp >> 1n) ^ (empty & -(fp & 1n))
  return BigInt.asUintN(64, fp)
})

export function crc64Avro(bytes: Uint8Array): bigint {
  let fp = empty
  for (const byte of bytes) fp = (fp >> 8n) ^ table[Number((fp ^ BigInt(byte)) & 0xffn)]!
  return fp
}

export const fingerprintOf = (schema: AvroSchema): bigint => crc64Avro(Buffer.from(canonicalForm(schema), 'utf8'))

/** Returns the fingerprint as 16 hex digits, for error messages. */
export const fingerprintText = (fingerprint: bigint): string => fingerprint.toString(16).padStart(16, '0')

// An independent decoder for comparison with the product's decoder. The independent decoder uses protobufjs by reflection.
import { fileURLToPath } from 'node:url'
import protobuf from 'protobufjs'

const root = protobuf.loadSync(fileURLToPath(new URL('./fixtures/otlp.proto', import.meta.url)))

export type Json = { [key: string]: unknown }

export const encode = (type: string, message: Json): Uint8Array => {
  const found = root.lookupType(`otlp.${type}`)
  return found.encode(found.fromObject(message)).finish()
}

/** Leaves out absent fields. 64-bit integers become text, bytes become hex text, and enum values become numbers. */
export const decode = (type: string, bytes: Uint8Array): Json => {
  const found = root.lookupType(`otlp.${type}`)
  const plain = found.toObject(found.decode(bytes), { longs: String, bytes: Array, enums: Number })
  return hexed(plain) as Json
}

const hexed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hexed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      Array.isArray(inner) && (key.endsWith('Id') || key === 'bytesValue') ? Buffer.from(inner as number[]).toString('hex') : hexed(inner),
    ]),
  )
}

export const encodeRequest = (message: Json): Uint8Array => encode('ExportTraceServiceRequest', message)
export const decodeRequest = (bytes: Uint8Array): Json => decode('ExportTraceServiceRequest', bytes)

// Encodes trace requests with code that protobufjs has generated.
import { otlp } from './generated/otlp-trace.js'
import type { Id, TraceRequest } from './otlp-types.ts'

const idFields = new Set(['traceId', 'spanId', 'parentSpanId'])

const idBytes = (id: Id) => (typeof id === 'string' ? Buffer.from(id, 'hex') : id)

/** Converts ids to bytes, and converts 64-bit values to text, as the generated code expects. */
function wireForm(value: unknown, key = ''): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (idFields.has(key)) return idBytes(value as Id)
  if (Array.isArray(value)) return value.map(item => wireForm(item))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const copy: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) copy[name] = wireForm(field, name)
  return copy
}

/** Encodes a request as proto3 does: omits absent fields, and also omits fields with the value zero. */
export const encodeTraceRequest = (request: TraceRequest): Uint8Array =>
  otlp.ExportTraceServiceRequest.encode(wireForm(request) as object).finish()

/** Decodes a request. Ids become Uint8Array, 64-bit values become decimal text, and absent fields stay absent. */
export const decodeTraceRequest = (bytes: Uint8Array): TraceRequest =>
  otlp.ExportTraceServiceRequest.toObject(otlp.ExportTraceServiceRequest.decode(bytes), { longs: String }) as TraceRequest

export interface TraceResponse {
  readonly partialSuccess?: { readonly rejectedSpans?: string; readonly errorMessage?: string }
}

export const decodeTraceResponse = (bytes: Uint8Array): TraceResponse =>
  otlp.ExportTraceServiceResponse.toObject(otlp.ExportTraceServiceResponse.decode(bytes), { longs: String }) as TraceResponse

/** Benches compare the product's scanners with this codec. */
export const referenceCodec = {
  decode: (bytes: Uint8Array): object => otlp.ExportTraceServiceRequest.decode(bytes),
  encode: (message: object): Uint8Array => otlp.ExportTraceServiceRequest.encode(message).finish(),
} as const

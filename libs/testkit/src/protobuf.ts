// Protobuf bytes of trace requests, through code that protobufjs generated: an encoder that shares nothing
// with the code under test.
import { otlp } from './generated/otlp-trace.js'
import type { Id, TraceRequest } from './otlp-types.ts'

const idFields = new Set(['traceId', 'spanId', 'parentSpanId'])

const idBytes = (id: Id) => (typeof id === 'string' ? Buffer.from(id, 'hex') : id)

/** Ids as bytes and 64-bit values as text, which is what the generated code takes. */
function wireForm(value: unknown, key = ''): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (idFields.has(key)) return idBytes(value as Id)
  if (Array.isArray(value)) return value.map(item => wireForm(item))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const copy: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) copy[name] = wireForm(field, name)
  return copy
}

/** ExportTraceServiceRequest bytes. Absent fields stay absent; zero values are left out, as proto3 does. */
export const encodeTraceRequest = (request: TraceRequest): Uint8Array =>
  otlp.ExportTraceServiceRequest.encode(wireForm(request) as object).finish()

/** The request of the bytes: ids as Uint8Array, 64-bit values as decimal text, absent fields absent. */
export const decodeTraceRequest = (bytes: Uint8Array): TraceRequest =>
  otlp.ExportTraceServiceRequest.toObject(otlp.ExportTraceServiceRequest.decode(bytes), { longs: String }) as TraceRequest

export interface TraceResponse {
  readonly partialSuccess?: { readonly rejectedSpans?: string; readonly errorMessage?: string }
}

/** What a receiver answered: ExportTraceServiceResponse. */
export const decodeTraceResponse = (bytes: Uint8Array): TraceResponse =>
  otlp.ExportTraceServiceResponse.toObject(otlp.ExportTraceServiceResponse.decode(bytes), { longs: String }) as TraceResponse

/** The generated code itself: benches compare their own scanners with it. */
export const referenceCodec = {
  decode: (bytes: Uint8Array): object => otlp.ExportTraceServiceRequest.decode(bytes),
  encode: (message: object): Uint8Array => otlp.ExportTraceServiceRequest.encode(message).finish(),
} as const

// Response bodies: ExportTraceServiceResponse and google.rpc.Status, in the format of the request.
import type { OtlpFormat } from './media-type.ts'
import { varintSize, writeVarint } from './wire.ts'

export interface PartialSuccess {
  readonly rejectedSpans: number
  /** An English message for developers. If `rejectedSpans` is 0, the message is a warning. */
  readonly message: string
}

export interface StatusDetails {
  /** Sent as google.rpc.RetryInfo. Without this field, clients do not retry after RESOURCE_EXHAUSTED. */
  readonly retryAfterMs?: number
  /** google.rpc.BadRequest. */
  readonly fieldViolations?: readonly { readonly field: string; readonly description: string }[]
}

/** Maximum characters of a message. Even at six bytes per character (JSON escapes), a message is far below the 4 MiB that clients read. */
const maxMessageLength = 64 * 1024

/**
 * Encodes the body of a 200 response. `partial_success` is unset if no span was rejected and there is no warning (OTLP 1.11, "Full
 * Success").
 */
export const encodeTraceResponse = (format: OtlpFormat, partial?: PartialSuccess): Buffer => {
  if (!partial || (partial.rejectedSpans === 0 && partial.message === '')) return format === 'json' ? Buffer.from('{}') : Buffer.alloc(0)
  const { rejectedSpans } = partial
  const message = truncated(partial.message)
  if (format === 'json') return json({ partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage: message } })
  return bytesField(1, Buffer.concat([numberField(1, rejectedSpans), textField(2, message)]))
}

/** Encodes the body of a 4xx or 5xx response. `grpcCode` is a value of google.rpc.Code. */
export const encodeStatus = (format: OtlpFormat, grpcCode: number, message: string, details: StatusDetails = {}): Buffer => {
  const text = truncated(message)
  const { retryAfterMs, fieldViolations } = details
  if (format === 'json') {
    const all = [
      ...(retryAfterMs === undefined ? [] : [{ '@type': typeUrl('RetryInfo'), retryDelay: `${(retryAfterMs / 1000).toFixed(3)}s` }]),
      ...(fieldViolations === undefined ? [] : [{ '@type': typeUrl('BadRequest'), fieldViolations }]),
    ]
    return json({ code: grpcCode, message: text, ...(all.length > 0 && { details: all }) })
  }
  const parts = [numberField(1, grpcCode), textField(2, text)]
  if (retryAfterMs !== undefined) {
    const seconds = Math.floor(retryAfterMs / 1000)
    const duration = Buffer.concat([numberField(1, seconds), numberField(2, Math.round((retryAfterMs - seconds * 1000) * 1e6))])
    parts.push(any('RetryInfo', bytesField(1, duration)))
  }
  if (fieldViolations !== undefined) {
    const violations = fieldViolations.map(v => bytesField(1, Buffer.concat([textField(1, v.field), textField(2, v.description)])))
    parts.push(any('BadRequest', Buffer.concat(violations)))
  }
  return Buffer.concat(parts)
}

const typeUrl = (name: string): string => `type.googleapis.com/google.rpc.${name}`

const any = (name: string, value: Buffer): Buffer => bytesField(3, Buffer.concat([textField(1, typeUrl(name)), bytesField(2, value)]))

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))

const truncated = (message: string): string => {
  if (message.length <= maxMessageLength) return message
  return `${message.slice(0, maxMessageLength).replace(/[\ud800-\udbff]$/, '')}…`
}

const bytesField = (field: number, content: Uint8Array): Buffer => {
  const header = Buffer.alloc(1 + varintSize(content.length))
  header[0] = (field << 3) | 2
  writeVarint(header, 1, content.length)
  return Buffer.concat([header, content])
}

/** Encodes a text. An empty text has no bytes in the message, because proto3 omits empty values. */
const textField = (field: number, text: string): Buffer => (text === '' ? Buffer.alloc(0) : bytesField(field, Buffer.from(text)))

const numberField = (field: number, value: number): Buffer => {
  if (value === 0) return Buffer.alloc(0)
  const target = Buffer.alloc(1 + varintSize(value))
  target[0] = field << 3
  writeVarint(target, 1, value)
  return target
}

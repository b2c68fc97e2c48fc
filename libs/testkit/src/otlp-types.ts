// Types for a trace request that a test writes by hand. Fields have their OTLP/JSON names. Ids are hex text or bytes, and can have any
// length.

export type Id = string | Uint8Array
/** Use a bigint or decimal text if a JavaScript number would round the value. */
export type Integer64 = number | bigint | string

export interface AnyValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: Integer64
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values: readonly AnyValue[] }
  readonly kvlistValue?: { readonly values: readonly KeyValue[] }
  readonly bytesValue?: Uint8Array
}

export interface KeyValue {
  readonly key: string
  readonly value?: AnyValue
}

export interface SpanEvent {
  readonly timeUnixNano?: Integer64
  readonly name?: string
  readonly attributes?: readonly KeyValue[]
  readonly droppedAttributesCount?: number
}

interface SpanLink {
  readonly traceId?: Id
  readonly spanId?: Id
  readonly traceState?: string
  readonly attributes?: readonly KeyValue[]
  readonly droppedAttributesCount?: number
  readonly flags?: number
}

export interface Span {
  readonly traceId?: Id
  readonly spanId?: Id
  readonly traceState?: string
  readonly parentSpanId?: Id
  readonly flags?: number
  readonly name?: string
  readonly kind?: number
  readonly startTimeUnixNano?: Integer64
  readonly endTimeUnixNano?: Integer64
  readonly attributes?: readonly KeyValue[]
  readonly droppedAttributesCount?: number
  readonly events?: readonly SpanEvent[]
  readonly droppedEventsCount?: number
  readonly links?: readonly SpanLink[]
  readonly droppedLinksCount?: number
  readonly status?: { readonly code?: number; readonly message?: string }
}

export interface ScopeSpans {
  readonly scope?: {
    readonly name?: string
    readonly version?: string
    readonly attributes?: readonly KeyValue[]
    readonly droppedAttributesCount?: number
  }
  readonly spans?: readonly Span[]
  readonly schemaUrl?: string
}

export interface ResourceSpans {
  readonly resource?: { readonly attributes?: readonly KeyValue[]; readonly droppedAttributesCount?: number }
  readonly scopeSpans?: readonly ScopeSpans[]
  readonly schemaUrl?: string
}

export interface TraceRequest {
  readonly resourceSpans?: readonly ResourceSpans[]
}

/** Converts a bigint to an integer, and a number with a fraction to a double. */
export function anyValue(value: string | boolean | number | bigint | Uint8Array | readonly string[]): AnyValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
  if (value instanceof Uint8Array) return { bytesValue: value }
  return { arrayValue: { values: value.map(stringValue => ({ stringValue })) } }
}

export const attributes = (values: Readonly<Record<string, Parameters<typeof anyValue>[0]>>): KeyValue[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }))

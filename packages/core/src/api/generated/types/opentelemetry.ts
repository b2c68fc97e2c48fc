// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface OtelAttribute {
  key?: string | undefined
  value?: OtelAttributeValue | undefined
}

export interface OtelAttributeValue {
  stringValue?: string | undefined
  intValue?: number | undefined
  doubleValue?: number | undefined
  boolValue?: boolean | undefined
}

export interface OtelResource {
  attributes?: OtelAttribute[] | undefined
}

export interface OtelResourceSpan {
  resource?: OtelResource | undefined
  scopeSpans?: OtelScopeSpan[] | undefined
}

export interface OtelScope {
  name?: string | undefined
  version?: string | undefined
  attributes?: OtelAttribute[] | undefined
}

export interface OtelScopeSpan {
  scope?: OtelScope | undefined
  spans?: OtelSpan[] | undefined
}

export interface OtelSpan {
  traceId?: unknown
  spanId?: unknown
  parentSpanId?: unknown
  name?: string | undefined
  kind?: number | undefined
  startTimeUnixNano?: unknown
  endTimeUnixNano?: unknown
  attributes?: OtelAttribute[] | undefined
  status?: unknown
}

export interface OtelTraceRequest {
  resourceSpans: OtelResourceSpan[]
}

export type OtelTraceResponse = Record<string, unknown>

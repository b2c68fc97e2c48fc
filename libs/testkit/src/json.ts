// Writes OTLP/JSON text as the JavaScript SDKs do. Ids are hex, times are decimal text, and integers are JSON numbers. Empty lists and zero
// counts are written, not left out.
import type { AnyValue, Id, Integer64, KeyValue, ResourceSpans, ScopeSpans, Span, TraceRequest } from './otlp-types.ts'

const hex = (id: Id) => (typeof id === 'string' ? id : Buffer.from(id).toString('hex'))
// `rawJSON` keeps all digits of a number beyond 2^53, which JSON.stringify would round. TypeScript does not declare `rawJSON` yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object }
const rawNumber = (value: Integer64) => rawJSON(String(value))

function jsonValue(value: AnyValue): object {
  if (value.intValue !== undefined) return { intValue: rawNumber(value.intValue) }
  if (value.bytesValue !== undefined) return { bytesValue: Buffer.from(value.bytesValue).toString('base64') }
  if (value.arrayValue !== undefined) return { arrayValue: { values: value.arrayValue.values.map(jsonValue) } }
  if (value.kvlistValue !== undefined) return { kvlistValue: { values: jsonAttributes(value.kvlistValue.values) } }
  return value
}

const jsonAttributes = (list: readonly KeyValue[] = []) =>
  list.map(({ key, value }) => (value === undefined ? { key } : { key, value: jsonValue(value) }))

const jsonSpan = (span: Span) => ({
  traceId: span.traceId && hex(span.traceId),
  spanId: span.spanId && hex(span.spanId),
  traceState: span.traceState,
  parentSpanId: span.parentSpanId && hex(span.parentSpanId),
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: span.startTimeUnixNano?.toString(),
  endTimeUnixNano: span.endTimeUnixNano?.toString(),
  attributes: jsonAttributes(span.attributes),
  droppedAttributesCount: span.droppedAttributesCount ?? 0,
  events: (span.events ?? []).map(event => ({
    ...event,
    timeUnixNano: event.timeUnixNano?.toString(),
    attributes: jsonAttributes(event.attributes),
  })),
  droppedEventsCount: span.droppedEventsCount ?? 0,
  status: span.status,
  links: (span.links ?? []).map(link => ({
    ...link,
    traceId: link.traceId && hex(link.traceId),
    spanId: link.spanId && hex(link.spanId),
    attributes: jsonAttributes(link.attributes),
  })),
  droppedLinksCount: span.droppedLinksCount ?? 0,
  flags: span.flags,
})

const jsonScope = (scope: ScopeSpans) => ({
  scope: scope.scope && { ...scope.scope, attributes: jsonAttributes(scope.scope.attributes) },
  spans: (scope.spans ?? []).map(jsonSpan),
  schemaUrl: scope.schemaUrl,
})

const jsonResource = (resource: ResourceSpans) => ({
  resource: resource.resource && {
    attributes: jsonAttributes(resource.resource.attributes),
    droppedAttributesCount: resource.resource.droppedAttributesCount ?? 0,
  },
  scopeSpans: (resource.scopeSpans ?? []).map(jsonScope),
  schemaUrl: resource.schemaUrl,
})

export const traceRequestJson = (request: TraceRequest): Buffer =>
  Buffer.from(JSON.stringify({ resourceSpans: (request.resourceSpans ?? []).map(jsonResource) }), 'utf8')

// Creates request bodies for a bench. The spans are either generated or recorded. A generated span has 4 KB, like a span of an LLM
// application. The recorded spans cover all dialects.
import {
  createRandom,
  createSpanGenerator,
  decodeTraceRequest,
  encodeTraceRequest,
  recordedProtobufs,
  type Span,
  type TraceRequest,
} from '@svc-server/testkit'

export interface Bodies {
  next(): { readonly projectId: string; readonly protobuf: Uint8Array }
}

export const bodyKinds = ['generated', 'recorded'] as const
export type BodyKind = (typeof bodyKinds)[number]

type Id = NonNullable<Span['traceId']>
type Time = NonNullable<Span['startTimeUnixNano']>

const projectCount = 24

export const createBodies = (kind: BodyKind, seed: string, startTimeMs: number): Bodies =>
  kind === 'generated'
    ? createSpanGenerator({ seed, projectCount, startTimeMs, spansPerRequest: 100 })
    : createRecordedBodies(seed, startTimeMs)

/** Each request contains all recorded spans, like a request in which an OpenTelemetry Collector combines the spans of many clients. */
function createRecordedBodies(seed: string, startTimeMs: number): Bodies {
  const random = createRandom(seed)
  const recorded = recordedProtobufs().map(decodeTraceRequest)
  let made = 0
  return {
    next() {
      const others = recorded.map(request => anew(request, id => random.hex(id.length), startTimeMs + made))
      const protobuf = encodeTraceRequest({ resourceSpans: others.flatMap(({ resourceSpans }) => resourceSpans ?? []) })
      return { projectId: `project-${made++ % projectCount}`, protobuf }
    },
  }
}

const spansOf = ({ resourceSpans }: TraceRequest): readonly Span[] =>
  (resourceSpans ?? []).flatMap(({ scopeSpans }) => (scopeSpans ?? []).flatMap(({ spans }) => spans ?? []))

function anew(request: TraceRequest, makeId: (hex: string) => string, startTimeMs: number): TraceRequest {
  const ids = new Map<string, string>()
  const id = (old: Id): string => {
    const hex = typeof old === 'string' ? old : Buffer.from(old).toString('hex')
    if (!ids.has(hex)) ids.set(hex, makeId(hex))
    return ids.get(hex)!
  }
  const starts = spansOf(request).flatMap(({ startTimeUnixNano }) => (startTimeUnixNano === undefined ? [] : [BigInt(startTimeUnixNano)]))
  const [first = 0n] = starts.toSorted((a, b) => (a < b ? -1 : 1))
  const later = (time: Time) => BigInt(time) - first + BigInt(startTimeMs) * 1_000_000n
  const changed = (span: Span): Span => ({
    ...span,
    ...(span.traceId !== undefined && { traceId: id(span.traceId) }),
    ...(span.spanId !== undefined && { spanId: id(span.spanId) }),
    ...(span.parentSpanId !== undefined && { parentSpanId: id(span.parentSpanId) }),
    ...(span.startTimeUnixNano !== undefined && { startTimeUnixNano: later(span.startTimeUnixNano) }),
    ...(span.endTimeUnixNano !== undefined && { endTimeUnixNano: later(span.endTimeUnixNano) }),
  })
  return {
    resourceSpans: (request.resourceSpans ?? []).map(resource => ({
      ...resource,
      scopeSpans: (resource.scopeSpans ?? []).map(scope => ({ ...scope, spans: (scope.spans ?? []).map(changed) })),
    })),
  }
}

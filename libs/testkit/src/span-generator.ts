// Generates requests with LLM spans that resemble production. A span has 4 KB and 27 attributes, and the gzip ratio is about 3.5:1.
import { type Conversation, createConversation, tools } from './conversation.ts'
import { traceRequestJson } from './json.ts'
import { attributes, type KeyValue, type Span, type TraceRequest } from './otlp-types.ts'
import { encodeTraceRequest } from './protobuf.ts'
import { createRandom, type Random } from './random.ts'
import { prose } from './vocabulary.ts'

export interface SpanGeneratorOptions {
  readonly seed: number | string
  /** Number of projects. Successive requests belong to `project-0`, `project-1`, and so on, in turn. Default: 1. */
  readonly projectCount?: number
  /** Start of the first trace. Each later trace starts some milliseconds after the previous trace. */
  readonly startTimeMs: number
  readonly spansPerRequest?: number
}

interface SpanIdentity {
  readonly projectId: string
  readonly traceId: string
  readonly spanId: string
  /** Null if the span is a root. */
  readonly parentSpanId: string | null
  readonly startTimeUnixNano: string
}

export interface GeneratedRequest {
  readonly projectId: string
  readonly request: TraceRequest
  /** The bytes are created at the first read. */
  readonly protobuf: Uint8Array
  readonly json: Uint8Array
  /** The spans in the order in which they are encoded. */
  readonly spans: readonly SpanIdentity[]
}

export interface SpanGenerator {
  next(): GeneratedRequest
}

interface PlacedSpan {
  readonly service: number
  readonly scope: number
  readonly span: Span
}

const services = ['support-agent', 'research-agent', 'checkout-assistant'] as const
const scopes = [
  { name: 'svc-sdk', version: '5.11.1' },
  { name: 'gen_ai', version: '' },
  { name: '@svc/openai', version: '5.11.1' },
] as const
const models = ['gpt-4.1-mini', 'gpt-4.1', 'claude-sonnet-4-5', 'gemini-2.5-flash'] as const
const steps = ['GENERATION', 'GENERATION', 'GENERATION', 'TOOL', 'RETRIEVER', 'CHAIN'] as const

/** The same options always give the same bytes. */
export function createSpanGenerator(options: SpanGeneratorOptions): SpanGenerator {
  const random = createRandom(options.seed)
  const projectCount = options.projectCount ?? 1
  const spansPerRequest = options.spansPerRequest ?? 100
  const systemPrompts = services.map(service => `You are ${service}. ${prose(random, 420)}`)
  const pending: PlacedSpan[][] = Array.from({ length: projectCount }, () => [])
  let clockMs = options.startTimeMs
  let turn = 0

  return {
    next() {
      const project = turn++ % projectCount
      const queue = pending[project]!
      while (queue.length < spansPerRequest) {
        clockMs += random.integer(0, 40)
        for (const span of trace(random, clockMs, systemPrompts)) queue.push(span)
      }
      return generatedRequest(`project-${project}`, queue.splice(0, spansPerRequest))
    },
  }
}

function generatedRequest(projectId: string, placed: readonly PlacedSpan[]): GeneratedRequest {
  const resourceSpans = services.flatMap((name, service) => {
    const own = placed.filter(p => p.service === service)
    if (own.length === 0) return []
    const scopeSpans = scopes.flatMap((scope, index) => {
      const spans = own.filter(p => p.scope === index).map(p => p.span)
      return spans.length === 0 ? [] : [{ scope, spans }]
    })
    return [{ resource: { attributes: resourceAttributes(name) }, scopeSpans }]
  })
  const request: TraceRequest = { resourceSpans }
  let protobuf: Uint8Array | undefined
  let json: Uint8Array | undefined
  return {
    projectId,
    request,
    get protobuf() {
      return (protobuf ??= encodeTraceRequest(request))
    },
    get json() {
      return (json ??= traceRequestJson(request))
    },
    spans: resourceSpans.flatMap(resource => resource.scopeSpans.flatMap(scope => scope.spans.map(span => identity(projectId, span)))),
  }
}

const identity = (projectId: string, span: Span): SpanIdentity => ({
  projectId,
  traceId: String(span.traceId),
  spanId: String(span.spanId),
  parentSpanId: span.parentSpanId === undefined ? null : String(span.parentSpanId),
  startTimeUnixNano: String(span.startTimeUnixNano),
})

const resourceAttributes = (service: string): KeyValue[] =>
  attributes({
    'service.name': service,
    'service.version': '2.8.1',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': '2.12.1',
    'host.name': `${service}-7d9f8c6b5-x2k4q`,
    'process.pid': 1,
  })

/** Returns the spans in the order of their end times. The children therefore come before the root. */
function trace(random: Random, startMs: number, systemPrompts: readonly string[]): PlacedSpan[] {
  const service = random.integer(0, services.length - 1)
  const shared: TraceFacts = {
    traceId: random.hex(32),
    name: random.pick(['answer-question', 'triage-ticket', 'summarize-thread', 'plan-order']),
    userId: `user-${random.integer(1, 5000)}`,
    sessionId: `session-${random.hex(16)}`,
    tags: random.pick([['production'], ['production', 'beta'], ['production', 'eu-west-1']]),
    conversation: createConversation(random, systemPrompts[service]!),
  }
  const rootId = random.hex(16)
  const spans: PlacedSpan[] = []
  let parentSpanId = rootId
  let atMs = startMs
  for (let left = random.integer(2, 12); left > 0; left--) {
    const kind = random.pick(steps)
    const spanId = random.hex(16)
    const durationMs = random.integer(3, 4000)
    spans.push({
      service,
      scope: kind === 'GENERATION' ? random.integer(1, 2) : 0,
      span: llmSpan(random, shared, { kind, spanId, parentSpanId, atMs, durationMs }),
    })
    // A third of the steps get children.
    parentSpanId = random.next() < 0.33 ? spanId : rootId
    atMs += random.integer(1, durationMs)
  }
  const durationMs = atMs - startMs + 4000
  spans.push({ service, scope: 0, span: llmSpan(random, shared, { kind: 'AGENT', spanId: rootId, atMs: startMs, durationMs }) })
  return spans
}

interface TraceFacts {
  readonly traceId: string
  readonly name: string
  readonly userId: string
  readonly sessionId: string
  readonly tags: readonly string[]
  readonly conversation: Conversation
}

interface StepFacts {
  readonly kind: (typeof steps)[number] | 'AGENT'
  readonly spanId: string
  readonly parentSpanId?: string
  readonly atMs: number
  readonly durationMs: number
}

function llmSpan(random: Random, trace: TraceFacts, step: StepFacts): Span {
  const start = BigInt(step.atMs) * 1_000_000n
  // As in JavaScript's SDKs, the start is a whole millisecond, and the end has a precision of nanoseconds.
  const end = start + BigInt(step.durationMs) * 1_000_000n + BigInt(random.integer(0, 999_999))
  return {
    traceId: trace.traceId,
    spanId: step.spanId,
    ...(step.parentSpanId === undefined ? {} : { parentSpanId: step.parentSpanId }),
    flags: 257,
    name: spanName(random, step, trace),
    kind: step.kind === 'GENERATION' ? 3 : 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes: spanAttributes(random, trace, step),
    status: { code: 0 },
  }
}

function spanName(random: Random, step: StepFacts, trace: TraceFacts): string {
  if (step.kind === 'AGENT') return trace.name
  if (step.kind === 'TOOL') return `execute_tool ${random.pick(tools)}`
  return step.kind === 'GENERATION' ? `chat ${random.pick(models)}` : step.kind.toLowerCase()
}

/** Returns attributes with all value types that instrumentations use. */
function spanAttributes(random: Random, trace: TraceFacts, step: StepFacts): KeyValue[] {
  const model = random.pick(models)
  const inputTokens = random.integer(120, 6000)
  return attributes({
    'svc.observation.type': step.kind.toLowerCase(),
    'svc.observation.input': trace.conversation.input(),
    'svc.observation.output': trace.conversation.output(),
    'svc.observation.metadata.request_id': random.hex(32),
    'svc.observation.metadata.retry_count': random.integer(0, 3),
    'svc.observation.metadata.cached': random.next() < 0.2,
    'svc.observation.metadata.latency_ms': Math.round(random.next() * 1e6) / 1000,
    'svc.environment': 'production',
    'svc.release': '2026.11.3',
    'svc.version': '2.8.1',
    'svc.internal.is_app_root': step.parentSpanId === undefined,
    'svc.trace.name': trace.name,
    'svc.trace.tags': trace.tags,
    'svc.trace.metadata.region': 'eu-west-1',
    'user.id': trace.userId,
    'session.id': trace.sessionId,
    'gen_ai.operation.name': step.kind === 'GENERATION' ? 'chat' : 'execute_tool',
    'gen_ai.provider.name': model.startsWith('gpt') ? 'openai' : model.startsWith('claude') ? 'anthropic' : 'gcp.vertex_ai',
    'gen_ai.request.model': model,
    'gen_ai.response.model': `${model}-2026-04-14`,
    'gen_ai.response.id': `chatcmpl-${random.hex(24)}`,
    'gen_ai.request.temperature': random.pick([0.1, 0.2, 0.7]),
    'gen_ai.request.max_tokens': 4096,
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': random.integer(20, 900),
    'gen_ai.usage.cache_read.input_tokens': Math.floor(inputTokens * random.next()),
    'gen_ai.response.finish_reasons': [random.pick(['stop', 'stop', 'stop', 'tool_calls', 'length'])],
  })
}

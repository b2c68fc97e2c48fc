// Example traces for an empty project: a support agent with sessions of several users, tools, and a failed call. All these traces have the
// tag `example`. The settings page uses this tag to find and remove the traces.
import { basePath } from '../api/client.ts'
import { firstRunText as text } from '../text/first-run.ts'

export const exampleTag = 'example'

type Value = string | readonly string[]

interface Span {
  readonly name: string
  readonly type: 'agent' | 'generation' | 'tool' | 'retriever' | 'embedding' | 'guardrail'
  /** Milliseconds after the start of the trace. */
  readonly from: number
  readonly to: number
  readonly parent?: number
  readonly fails?: string
  readonly attributes?: Readonly<Record<string, Value>>
}

interface Question {
  readonly asked: string
  readonly answered: string
  readonly sought: string
  readonly found: string
  readonly fails?: boolean
}

const questions: readonly Question[] = [
  {
    asked: 'Where is my parcel 4711?',
    answered: 'It left the depot in Bonn this morning and arrives tomorrow before noon.',
    sought: 'parcel 4711',
    found: '{"parcel":4711,"status":"in delivery","depot":"Bonn"}',
  },
  {
    asked: 'Can I still change the address?',
    answered: 'Yes, until it is out for delivery tomorrow morning. Which address should it go to?',
    sought: 'address change policy',
    found: '{"policy":"until out for delivery"}',
  },
  {
    asked: 'I was charged twice for order 88-102.',
    answered: '',
    sought: 'order 88-102 payments',
    found: '{"order":"88-102","payments":[{"amount":39.9},{"amount":39.9}]}',
    fails: true,
  },
  {
    asked: 'How do I return shoes that do not fit?',
    answered:
      'Returns are free for 30 days:\n\n1. Print the label from your account.\n2. Bring the parcel to any shop.\n\nThe refund takes **three days**.',
    sought: 'returns shoes',
    found: '{"days":30,"isFree":true}',
  },
]

const system = 'You are the support agent of a shop. Answer in one or two sentences, and only from what the tools return.'

function spansOf({ asked, answered, sought, found, fails = false }: Question, model: string, slow: number): readonly Span[] {
  const at = (ms: number) => Math.round(ms * slow)
  const call = [{ id: 'call_1', type: 'function', function: { name: 'search', arguments: JSON.stringify({ query: sought }) } }]
  const first = [
    { role: 'system', content: system },
    { role: 'user', content: asked },
  ]
  const second = [
    ...first,
    { role: 'assistant', content: null, tool_calls: call },
    { role: 'tool', tool_call_id: 'call_1', content: found },
  ]
  const priced = (input: number, output: number, cost: number) => ({
    'svc.observation.model.name': model,
    'svc.observation.usage_details': JSON.stringify({ input, output, total: input + output }),
    'svc.observation.cost_details': JSON.stringify({ total: cost }),
  })
  const said = (input: unknown, output: unknown) => ({
    'svc.observation.input': typeof input === 'string' ? input : JSON.stringify(input),
    'svc.observation.output': typeof output === 'string' ? output : JSON.stringify(output),
  })
  return [
    {
      name: 'support',
      type: 'agent',
      from: 0,
      to: at(4_200),
      ...(fails && { fails: 'upstream timeout' }),
      attributes: said(asked, answered),
    },
    { name: 'moderate', type: 'guardrail', parent: 0, from: at(20), to: at(180), attributes: said(asked, '{"allowed":true}') },
    {
      name: 'plan',
      type: 'generation',
      parent: 0,
      from: at(200),
      to: at(1_300),
      attributes: { ...said({ messages: first }, { role: 'assistant', content: null, tool_calls: call }), ...priced(310, 24, 0.0031) },
    },
    {
      name: 'search',
      type: 'retriever',
      parent: 0,
      from: at(1_320),
      to: at(2_100),
      attributes: said(JSON.stringify({ query: sought }), found),
    },
    {
      name: 'embed',
      type: 'embedding',
      parent: 3,
      from: at(1_330),
      to: at(1_450),
      attributes: { ...said(sought, '[1536 numbers]'), ...priced(6, 0, 0.00001) },
    },
    ...Array.from(
      { length: 6 },
      (_, n): Span => ({
        name: 'read page',
        type: 'tool',
        parent: 3,
        from: at(1_460 + 90 * n),
        to: at(1_540 + 95 * n),
        attributes: said(`page ${n + 1}`, `score ${(0.91 - n * 0.07).toFixed(2)}`),
      }),
    ),
    {
      name: 'answer',
      type: 'generation',
      parent: 0,
      from: at(2_150),
      to: at(4_150),
      ...(fails && { fails: 'upstream timeout' }),
      attributes: {
        ...said({ messages: second }, fails ? '' : { role: 'assistant', content: answered }),
        ...priced(540, fails ? 0 : 86, 0.0122),
      },
    },
  ]
}

const written = (value: Value) =>
  typeof value === 'string' ? { stringValue: value } : { arrayValue: { values: value.map(each => ({ stringValue: each })) } }
const hex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), byte => byte.toString(16).padStart(2, '0')).join('')

export interface Examples {
  readonly traces: number
  /** The body of a request to `/api/public/otel/v1/traces`. */
  readonly body: string
}

const count = 36
const burstFrom = 24

export function exampleTraces(nowMs: number): Examples {
  const traces = Array.from({ length: count }, (_, n) => {
    const isOfBurst = n >= burstFrom
    const question = questions[isOfBurst && n % 2 === 1 ? 2 : n % questions.length]!
    const session = Math.floor(n / questions.length)
    const traceId = hex(16)
    const ids = spansOf(question, '', 1).map(() => hex(8))
    const startMs = isOfBurst ? nowMs - 1_500_000 + (n - burstFrom) * 12_000 : nowMs - 7_200_000 + n * 200_000
    const ns = (ms: number) => `${startMs + ms}000000`
    return spansOf(question, n % 5 === 0 ? 'a-large-model' : 'a-model', 0.6 + ((n * 7) % 10) / 12).map(
      ({ name, parent, from, to, type, fails, attributes = {} }, at) => ({
        ...{ traceId, spanId: ids[at], name, kind: 1, ...(parent !== undefined && { parentSpanId: ids[parent] }) },
        ...{ startTimeUnixNano: ns(from), endTimeUnixNano: ns(to), status: fails === undefined ? {} : { code: 2, message: fails } },
        attributes: Object.entries({
          'svc.trace.name': 'support',
          'svc.trace.tags': [exampleTag],
          'svc.user.id': `customer-${(session % 5) + 1}`,
          'svc.session.id': `example-${session + 1}`,
          'svc.release': n < count / 2 ? '2.3.0' : '2.4.0',
          'svc.observation.type': type,
          'svc.observation.metadata.plan': session % 2 === 0 ? 'free' : 'pro',
          ...attributes,
        } satisfies Readonly<Record<string, Value>>).map(([key, value]) => ({ key, value: written(value) })),
      }),
    )
  })
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'support' } }] }
  return {
    traces: count,
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'example' }, spans: traces.flat() }] }] }),
  }
}

/** Sends the example traces. Returns their number after the server has accepted them. */
export async function sendExamples({ publicKey, secretKey }: { readonly publicKey: string; readonly secretKey: string }): Promise<number> {
  const { traces, body } = exampleTraces(Date.now())
  const response = await fetch(`${basePath}api/public/otel/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${publicKey}:${secretKey}`)}`,
      'content-type': 'application/json',
      'x-svc-ingestion-version': '4',
    },
    body,
  })
  if (!response.ok) throw new Error(text.examplesRefused(response.status, await response.text()))
  return traces
}

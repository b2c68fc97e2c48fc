// Generates spans that no client should send. The spans have every known key, keys with every known prefix, and values of every type.
import type { AnyValue, KeyValue, SpanEvent } from '@svc-server/testkit'
import fc from 'fast-check'
import { leavesMetadata } from '../../src/span-view/keys.ts'
import { eventKinds, knownKeys } from '../known-keys.ts'

const jsonTexts = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e999',
    'NaN',
    'null',
    'true',
    '{}',
    '[]',
    '"',
    '"a"',
    '[',
    '{"a":',
    '{"a":{"b":[1,null,{}]}}',
    '[null]',
    '[[[[]]]]',
  ],
  ...[
    '18446744073709551616',
    '9223372036854775808',
    '-0',
    '0.1',
    '1e-400',
    '2026-11-21T12:00:00Z',
    '"2026-11-21T12:00:00Z"',
    '+275760-09-13T00:00:00Z',
  ],
  ...[
    '{"__proto__":{"a":1},"constructor":1}',
    '{"input":-1,"output":1e30,"x":"7"}',
    '{"input":0.5,"total":"many"}',
    '\u0000',
    'a\u0000b',
    '\ufeff{}',
  ],
  ...[
    '[{"role":"user","content":"q"}]',
    '[{"role":"system"}]',
    '{"messages":[1],"config":{"t":[true]}}',
    '[{"event.name":"gen_ai.choice"},null,5]',
  ],
  ...[
    '[{"type":"function","function":{"name":"f","parameters":{}}}]',
    '["{\\"type\\":\\"function\\",\\"name\\":\\"g\\"}"]',
    '{"tool_calls":[{"id":1}]}',
  ],
  ...[
    '{"openai":{"serviceTier":5},"anthropic":{"usage":{"cache_read_input_tokens":"x"}}}',
    'span',
    'generation',
    'LLM',
    'chat',
    'invoke_agent',
    'model',
  ],
  `${'['.repeat(300)}${']'.repeat(300)}`,
  `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
]

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...jsonTexts) },
  { weight: 2, arbitrary: fc.json() },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', size: 'medium' }) },
)

const scalar: fc.Arbitrary<AnyValue> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ stringValue: text }) },
  {
    weight: 1,
    arbitrary: fc.record({ intValue: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.integer({ min: -2, max: 70_000 }).map(BigInt)) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ doubleValue: fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0, 1e300)) }),
  },
  { weight: 1, arbitrary: fc.record({ boolValue: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ bytesValue: fc.uint8Array({ maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.constant({}) },
)

const { value } = fc.letrec<{ value: AnyValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 3 }) }) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kvlistValue: fc.record({ values: fc.array(fc.record({ key: fc.string(), value: tie('value') }), { maxLength: 3 }) }),
      }),
    },
  ),
}))

const segment = fc.constantFrom(
  '0',
  '1',
  '7',
  '01',
  '10000',
  '10001',
  '99999999999',
  'content',
  'role',
  '',
  '__proto__',
  'constructor',
  'message',
  'tool',
)
const below = (prefix: string) => fc.array(segment, { minLength: 1, maxLength: 5 }).map(path => `${prefix}${path.join('.')}`)

const prefixed = fc.oneof(
  ...[
    ...[
      'gen_ai.prompt.',
      'gen_ai.completion.',
      'llm.input_messages.',
      'llm.output_messages.',
      'llm.tools.',
      'gen_ai.usage.',
      'llm.token_count.',
    ],
    ...[
      'gen_ai.request.',
      'llm.invocation_parameters.',
      'svc.observation.metadata.',
      'svc.trace.metadata.',
      'svc.metadata.',
      'ai.telemetry.metadata.',
    ],
    ...['svc.experiment.metadata.', 'svc.experiment.item.metadata.', 'embedding.embeddings.'],
  ].map(below),
)

const anyKey = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<string>(...knownKeys) },
  { weight: 3, arbitrary: prefixed },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)

const attribute: fc.Arbitrary<KeyValue> = fc.record({ key: anyKey, value }, { requiredKeys: ['key'] })
export const attributeList = fc.array(attribute, { maxLength: 40, size: 'max' })

/** Attributes that no rule uses. Each attribute has a different text, and every row must contain all of these texts. */
export const markedAttributes = (list: readonly KeyValue[]): readonly KeyValue[] =>
  list.flatMap(({ key }, i) => (leavesMetadata(key) ? [] : [{ key: `own.${i}`, value: { stringValue: `marker-${i}-` } }]))

const event: fc.Arbitrary<SpanEvent> = fc.record(
  {
    name: fc.oneof(fc.constantFrom<string>(...eventKinds), fc.string()),
    timeUnixNano: fc.bigInt(0n, 2n ** 64n - 1n),
    attributes: fc.array(attribute, { maxLength: 4 }),
  },
  { requiredKeys: [] },
)

export interface FuzzedSpan {
  readonly attributes: readonly KeyValue[]
  readonly resource: readonly KeyValue[]
  readonly events: readonly SpanEvent[]
  readonly scope: { readonly name: string; readonly version: string }
  readonly sdkVersion: string
}

export const fuzzedSpan: fc.Arbitrary<FuzzedSpan> = fc.record({
  attributes: attributeList,
  resource: fc.array(attribute, { maxLength: 4 }),
  events: fc.array(event, { maxLength: 3 }),
  scope: fc.record({
    name: fc.constantFrom(
      '',
      'svc-sdk',
      'ai',
      'gen_ai',
      'genkit-tracer',
      'pydantic-ai',
      '@flue/opentelemetry',
      'livekit-agents',
      'gcp.vertex.agent',
      'x',
    ),
    version: fc.constantFrom('', '3.0.0', '5.0.4', 'x'),
  }),
  sdkVersion: fc.constantFrom('', '4.0.0', '5.0.0'),
})

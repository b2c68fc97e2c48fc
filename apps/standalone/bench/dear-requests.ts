// Valid requests, by name. The requests are small, but mapping them to rows takes much time.
import { randomBytes } from 'node:crypto'
import { encodeTraceRequest, type KeyValue } from '@svc-server/testkit'

type Value = NonNullable<KeyValue['value']>

const text = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } })
const one = (key: string, value: Value): readonly KeyValue[] => [{ key, value }]
const many = <T>(count: number, each: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => each(i))

/** Returns random Chinese characters, because the tokenizer caches texts that it has already seen. */
const ideographs = (count: number): string => many(count, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_900))).join('')

interface Dear {
  readonly spans: number
  readonly attributes: () => readonly KeyValue[]
}

const kinds: Readonly<Record<string, Dear>> = {
  maps: {
    spans: 1,
    attributes: () =>
      one('svc.observation.metadata', {
        kvlistValue: { values: many(20_000, i => ({ key: i.toString(36), value: { boolValue: true } })) },
      }),
  },
  prompts: { spans: 1, attributes: () => many(9000, i => text(`gen_ai.prompt.${i}.content`, '1')) },
  tokens: {
    spans: 8,
    attributes: () => [
      text('svc.observation.type', 'generation'),
      text('gen_ai.request.model', 'gpt-4o'),
      text('svc.observation.input', ideographs(87_000)),
    ],
  },
  numbers: { spans: 1, attributes: () => one('svc.observation.metadata', { stringValue: `[${'1,'.repeat(124_000)}1]` }) },
}

export const dearKinds: readonly string[] = Object.keys(kinds)

export function dearBodies(kind: string): readonly Buffer[] {
  const { spans, attributes } = kinds[kind]!
  const spanOf = () => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'dear',
    startTimeUnixNano: BigInt(Date.now()) * 1_000_000n,
    attributes: [...attributes()],
  })
  return many(4, () => Buffer.from(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: many(spans, spanOf) }] }] })))
}

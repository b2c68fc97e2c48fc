// F26: The server charges a project's share in units of work. For any mixture of spans and any record size, a unit must not take much
// longer than usual. The test compares ratios within one run, because machines differ in speed.
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { countedRecordBytes } from '@svc-server/otlp/work'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { encodeTraceRequest, type KeyValue, type Span } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { dearShapes } from './dear-shapes.ts'
import { knownKeys } from './known-keys.ts'
import { aSpan, batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

const maxWork = 1e9
const encoder = createChunkEncoder({ maxWork, catalog: catalogSnapshot({ models: shippedModels(), prompts: [] }) })
const mixtures = 250
/**
 * Total bytes of a mixture's records. With fewer bytes, the measurement would be inaccurate. With more bytes, the test would take an hour.
 */
const mixtureBytes = 400_000
const mostRecords = 1000
const allowed = 10

function seeded(seed: number) {
  let state = seed * 7919 + 1
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
}
type Random = ReturnType<typeof seeded>

const oneOf = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]!
const word = (random: Random, length: number): string => Array.from({ length }, () => random(36).toString(36)).join('')
const text = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } })

/** These attributes are short but expensive to map. */
const small: Readonly<Record<string, (random: Random) => readonly KeyValue[]>> = {
  'a gap': random => [text(`gen_ai.prompt.${random(10_000)}.content`, 'x')],
  'gaps in lists': random =>
    Array.from({ length: 8 }, (_, i) => text(`llm.input_messages.${i}.message.tool_calls.${random(1200)}.id`, 'x')),
  'a model': random => [text('gen_ai.request.model', word(random, 250))],
  'a model and a question': random => [text('gen_ai.request.model', 'gpt-4o'), text('svc.observation.input', word(random, 200))],
  'a gap and a model': random => [text('llm.model_name', 'gpt-4o'), text(`gen_ai.prompt.${random(10_000)}.content`, 'x')],
  'counts of new names': random => [
    text('gen_ai.request.model', 'gpt-4o'),
    ...Array.from({ length: 5 }, () => ({ key: `gen_ai.usage.${word(random, 30)}`, value: { intValue: random(1000) } })),
  ],
  'a known key': random => [text(oneOf(random, knownKeys), oneOf(random, ['[{"name":"a"}]', '{"a":{"b":1}}', '', '1', '"\\"a"', 'a,b,c']))],
}

function mixture(random: Random, bytes: number): { readonly name: string; readonly span: Partial<Span> } {
  const names = Array.from({ length: 1 + random(3) }, () => oneOf(random, [...Object.keys(small), ...Object.keys(dearShapes)]))
  const parts = names.map(name =>
    small[name] === undefined ? dearShapes[name]!(Math.ceil(bytes / names.length / 16) * 16) : { attributes: [...small[name](random)] },
  )
  return {
    name: names.join(' + '),
    span: {
      attributes: parts.flatMap(({ attributes = [] }) => attributes),
      events: parts.flatMap(({ events = [] }) => events),
      links: parts.flatMap(({ links = [] }) => links),
    },
  }
}

function measure(seed: number): { readonly name: string; readonly perUnit: number } {
  const random = seeded(seed)
  const spans = oneOf(random, [1, 1, 1, 5, 40])
  const bytes = oneOf(random, [300, 2000, 20_000, 200_000])
  let name = ''
  const bodyOf = () => {
    const own = Array.from({ length: spans }, () => {
      const { span, name: of } = mixture(seeded(seed), bytes)
      name = of
      return aSpan({ ...span, attributes: [...span.attributes!, text('filling', word(random, 40))] })
    })
    return encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: own }] }] })
  }
  const records = Math.min(mostRecords, Math.max(2, Math.ceil(mixtureBytes / bodyOf().length)))
  let load = 0
  const made = Array.from({ length: records }, (_, offset) => {
    const body = bodyOf()
    const { work, rowBytes, countedBytes } = scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36, maxWork })
    load += work + rowBytes / 16 + Math.min(countedBytes, countedRecordBytes) / 4
    return recordOf(batchOf(body, { spanCount: spans }), offset)
  })
  const before = process.threadCpuUsage()
  encoder.recycle(encoder.encode(made).body)
  const { user, system } = process.threadCpuUsage(before)
  return { name: `${seed}: ${records} records of ${spans} spans of ${bytes} bytes: ${name}`, perUnit: (user + system) / load }
}

test('no mixture takes much longer per unit than others', () => {
  for (let seed = 1; seed <= 20; seed++) measure(seed)
  const measured = Array.from({ length: mixtures }, (_, i) => measure(i + 1))
  const median = measured.map(({ perUnit }) => perUnit).sort((a, b) => a - b)[mixtures >> 1]!
  const dear = measured.filter(({ perUnit }) => perUnit > allowed * median)
  // The test measures outliers twice, because another process could have evicted the caches of the core.
  const stillDear = dear.map(({ name }) => measure(Number.parseInt(name, 10))).filter(({ perUnit }) => perUnit > allowed * median)
  expect({ median, stillDear }).toEqual({ median, stillDear: [] })
}, 600_000)

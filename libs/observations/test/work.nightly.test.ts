// F50: A unit of work takes at most about a microsecond. For many forms of spans, this test compares the duration of the mapping with
// the units of work of the spans. A form that takes longer must count as more units of work, or needs a cheaper rule.
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { encodeTraceRequest, type KeyValue } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { knownKeys } from './known-keys.ts'
import { aSpan, batchOf, receivedAtMs, recordOf } from './mapped-rows.ts'

type Value = NonNullable<KeyValue['value']>

const bytes = 350_000
const maxWork = 1e9
const yes: Value = { boolValue: true }

function filled(open: string, each: (i: number) => string, close: string): Value {
  const parts: string[] = []
  for (let i = 0, size = 0; size < bytes; i++) {
    const part = each(i)
    parts.push(part)
    size += part.length + 1
  }
  return { stringValue: `${open}${parts.join()}${close}` }
}

const values: Readonly<Record<string, Value>> = {
  numbers: filled('[', () => '1', ']'),
  fractions: filled('[', () => '0.1', ']'),
  objects: filled('[', () => '{}', ']'),
  names: filled('{', i => `"${i.toString(36)}":1`, '}'),
  'deep names': filled('{', i => `"${i.toString(36)}":{"a":{"b":{}}}`, '}'),
  'names with escapes': filled('{', i => `"\\\\${i.toString(36)}":1`, '}'),
  'numbered names with escapes': filled('[', () => '{"\\\\":1,"1023":1,"2574":1}', ']'),
  'objects with escapes': filled('[', () => '{"\\t":1,"\\\\":""}', ']'),
  tools: filled('[', i => `{"name":"${i}"}`, ']'),
  'tools in texts': filled('[', i => JSON.stringify(`{"name":"${i}"}`), ']'),
  calls: filled('[{"role":"assistant","tool_calls":[', i => `{"function":{"name":"${i}"}}`, ']}]'),
  'calls in texts': filled('[{"role":"assistant","tool_calls":[', i => JSON.stringify(`{"function":{"name":"${i}"}}`), ']}]'),
  'no texts': filled('[', () => '""', ']'),
  'texts that are not JSON': filled('[', () => '"\\"a"', ']'),
  commas: { stringValue: 'a,'.repeat(bytes / 2) },
  'list on the wire': { arrayValue: { values: Array<Value>(bytes / 4).fill(yes) } },
  'map on the wire': { kvlistValue: { values: Array.from({ length: bytes / 10 }, (_, i) => ({ key: i.toString(36), value: yes })) } },
  'control characters': { arrayValue: { values: [{ stringValue: '\u0001'.repeat(bytes) }] } },
}

const below = ['x', 'svc.observation.metadata.x', 'svc.trace.metadata.x', 'ai.telemetry.metadata.x', 'gen_ai.request.x', 'gen_ai.usage.x']
const keys = [...new Set([...knownKeys, ...below, 'llm.tools.0.tool.json_schema', 'gen_ai.prompt.0.content', 'svc.experiment.metadata.x'])]

const encoder = createChunkEncoder({ maxWork })

/**
 * Measures a request with these attributes, and computes from it how many CPU seconds the mapping would take for the largest such request
 * that the gateway accepts. The gateway limits a request to 64 MiB, and also limits the request's units of work.
 */
function secondsAtLimit(attributes: KeyValue[]): number {
  const body = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [aSpan({ attributes })] }] }] })
  const { work } = scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36, maxWork })
  const record = recordOf(batchOf(body))
  const cpu = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage()
    encoder.recycle(encoder.encode([record]).body)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  })
  return Math.min(...cpu) * Math.min(3_000_000 / work, (64 << 20) / body.length)
}

// The target is three seconds. The test allows four times as long, because machines differ in speed. If too few units of work were counted
// for an expensive shape, the gateway would accept a request of this shape that could take minutes.
const allowedSeconds = 12

test.each(keys)('%s', key => {
  const slow = Object.entries(values)
    .map(([name, value]) => [name, secondsAtLimit([{ key, value }])] as const)
    .filter(([, seconds]) => seconds > allowedSeconds)
  expect(slow).toEqual([])
})

const manyKeys: Readonly<Record<string, (i: number) => string>> = {
  'attributes of their own': i => `key.${i}`,
  'short names': i => i.toString(36),
  'parts of a prompt': i => `gen_ai.prompt.x${i}.content`,
  'deep parts of a prompt': i => `gen_ai.prompt.${i >> 5}.${Array.from({ length: 36 }, (_, depth) => `a${depth}`).join('.')}${i}`,
  'messages of OpenInference': i => `llm.input_messages.${i % 9000}.message.tool_calls.${i}.tool_call.id`,
  'dotted metadata': i => `svc.observation.metadata.k${i}`,
  'request parameters': i => `gen_ai.request.k${i}`,
  'keys that are not hashed': i => `svc.observation.metadata.${'k'.repeat(16_384)}${i}`,
  'counts of tokens': i => `gen_ai.usage.details.k${i}`,
}

test.each(Object.keys(manyKeys))('many: %s', name => {
  const keyOf = manyKeys[name]!
  const seconds = secondsAtLimit(
    Array.from({ length: Math.ceil(bytes / (keyOf(1).length + 10)) }, (_, i) => ({ key: keyOf(i), value: yes })),
  )
  expect(seconds).toBeLessThan(allowedSeconds)
})

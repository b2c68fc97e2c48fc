// F50: The mapping time of a span grows at most in proportion to its bytes. With quadratic growth, a span with a hundred thousand keys
// would take hours.
import { attributes, encodeTraceRequest, type KeyValue } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { aSpan, batchOf, recordOf } from './mapped-rows.ts'

const many = (count: number, each: (i: number) => readonly [key: string, value: unknown]): KeyValue[] =>
  attributes(Object.fromEntries(Array.from({ length: count }, (_, i) => each(i))) as Parameters<typeof attributes>[0])
const list = (count: number, each: (i: number) => string) => `[${Array.from({ length: count }, (_, i) => each(i)).join()}]`
const object = (count: number, value: (i: number) => string) => `{${Array.from({ length: count }, (_, i) => `"k${i}":${value(i)}`).join()}}`
const deep = Array.from({ length: 38 }, (_, i) => `a${i}`).join('.')

const shapes: Readonly<Record<string, (count: number) => KeyValue[]>> = {
  'attributes of their own': count => many(count, i => [`key.${i}`, 'v']),
  'names below a rebuilt list': count => many(count, i => [`gen_ai.prompt.x${i}.content`, 'v']),
  'deep names below a rebuilt list': count => many(count / 20, i => [`gen_ai.prompt.${i}.${deep}`, 'v']),
  'messages of OpenInference': count => many(count, i => [`llm.input_messages.${i % 9000}.message.tool_calls.${i}.tool_call.id`, 'v']),
  'functions of Traceloop': count => many(count, i => [`llm.request.functions.${i}.name`, 'v']),
  'dotted metadata': count => many(count, i => [`svc.observation.metadata.k${i}`, 'v']),
  'metadata of many keys': count => many(1, () => ['svc.observation.metadata', object(count, () => '1')]),
  'metadata of deep keys': count =>
    many(1, () => ['svc.observation.metadata', '{"a":'.repeat(90) + object(count, () => '1') + '}'.repeat(90)]),
  'usage of many keys': count => many(1, () => ['svc.observation.usage_details', object(count, String)]),
  'cost of many keys': count => many(1, () => ['svc.observation.cost_details', object(count, () => '0.001')]),
  'usage attributes': count => many(count, i => [`gen_ai.usage.details.k${i}`, i]),
  tags: count => many(1, () => ['svc.trace.tags', list(count, i => `"tag ${i}"`)]),
  'tool definitions': count => many(1, () => ['gen_ai.tool.definitions', list(count, i => `{"name":"t${i}","type":"function"}`)]),
  'events of Logfire': count => many(1, () => ['events', list(count, () => '{"event.name":"gen_ai.user.message","content":"a"}')]),
}

/** Each measurement uses a new encoder, because an encoder that already knows the keys would be faster. */
function cpuMs(values: KeyValue[]): number {
  const body = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [aSpan({ attributes: values })] }] }] })
  const record = recordOf(batchOf(body))
  const times = Array.from({ length: 3 }, () => {
    const encoder = createChunkEncoder()
    const before = process.cpuUsage()
    expect(encoder.encode([record]).rows).toBe(1)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

describe('four times the bytes take about four times the time', () => {
  test.each(Object.keys(shapes))('%s', name => {
    const shape = shapes[name]!
    cpuMs(shape(5000))
    const once = cpuMs(shape(20_000))
    const fourTimes = cpuMs(shape(80_000))
    // With a quadratic cost, the span with four times the bytes would take sixteen times as long.
    expect(fourTimes).toBeLessThan(10 * Math.max(once, 20))
  })
})

// Measures the mapping of spans whose names, ids or keys are long texts of equal length. An ordinary run tests a third of the combinations
// (see `isAsked`). The nightly run tests all combinations.
import { scanTraceRequest } from '@svc-server/otlp/scan'
import { encodeTraceRequest, isAsked, type KeyValue } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { explainRequest } from '../src/block/explain.ts'
import { slowKeys, slowShapes } from './long-texts.ts'
import { aSpan, receivedAtMs } from './mapped-rows.ts'

const third = (texts: readonly string[]) => texts.filter((_, at) => isAsked(0, at, 3))

test.each(
  third([
    ...['svc.observation.metadata', 'svc.observation.usage_details', 'svc.observation.output', 'svc.trace.tags', 'gen_ai.tool.definitions'],
    ...['gen_ai.request.model', 'events', 'llm.output_messages', 'model_config', 'x'],
  ]),
)('%s', key => expect(slowShapes(key)).toEqual([]))

test.each(
  third([
    ...[
      '',
      'svc.observation.metadata.',
      'svc.trace.metadata.',
      'svc.experiment.metadata.',
      'ai.telemetry.metadata.',
      'metadata.',
      'gen_ai.request.',
    ],
    ...[
      'gen_ai.usage.',
      'gen_ai.usage.details.',
      'llm.token_count.prompt_details.',
      'svc.observation.usage_details.',
      'llm.request.functions.0.',
    ],
    ...['llm.input_messages.0.message.', 'ai.settings.', 'ai.toolCall.', 'traceloop.association.properties.'],
  ]),
)('keys that begin with "%s"', prefix => expect(slowKeys(text => `${prefix}${text}`)).toBeUndefined())

test.each(
  third([
    'gen_ai.prompt.*.content',
    'llm.request.functions.*.name',
    'gen_ai.completion.0.tool_calls.*.name',
    'llm.tools.*.tool.json_schema',
  ]),
)('keys like %s', key => expect(slowKeys(text => key.replace('*', text))).toBeUndefined())

test('charges for long keys on the wire, which become names in the old tables', () => {
  const key = (i: number) => `${'k'.repeat(16_384)}${i}`
  const keys = (count: number): KeyValue[] => Array.from({ length: count }, (_, i) => ({ key: key(i), value: { intValue: '1' } }))
  const workOf = (attributes: KeyValue[], resource: KeyValue[] = []) => {
    const body = encodeTraceRequest({
      resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans: [aSpan({ attributes })] }] }],
    })
    return scanTraceRequest(body, { receivedAtMs, maxAgeMonths: 36, maxWork: 1e9 }).work
  }
  const all = [workOf(keys(1100)), workOf([], keys(1100)), workOf([{ key: 'x', value: { kvlistValue: { values: keys(1100) } } }])]
  for (const work of all) expect(work).toBeGreaterThan(3_000_000)
  expect(workOf(keys(1))).toBeLessThan(10_000)
})

test('a token count with a long name is an ordinary attribute', () => {
  const key = `gen_ai.usage.${'k'.repeat(16_384)}`
  const body = encodeTraceRequest({
    resourceSpans: [{ scopeSpans: [{ spans: [aSpan({ attributes: [{ key, value: { intValue: '7' } }] })] }] }],
  })
  const [row] = explainRequest(body, { nowMs: receivedAtMs }).spans
  expect(JSON.stringify(row)).toContain(key)
})

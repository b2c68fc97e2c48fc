// The rows of the v3 table and of the events table come from the same rules. The rows can differ only in names, units, and formats.
import { readNativeBlock } from '@svc-server/column-store/native'
import { encodeTraceRequest, type KeyValue, otlpFixtures } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { createObservationEncoder } from '../src/block/observation-encoder.ts'
import { goldenCases } from './golden/cases.ts'
import { aSpan, batchOf, protobufOf, recordOf, requestOf, selectionOf } from './mapped-rows.ts'

type Row = Readonly<Record<string, unknown>>

const requests: readonly (readonly [string, Uint8Array])[] = [
  ...Object.entries(goldenCases).map(([name, [values, facts]]) => [name, encodeTraceRequest(requestOf(values, facts))] as const),
  ...otlpFixtures().map(fixture => [`${fixture.client} ${fixture.case}`, protobufOf(fixture)] as const),
]

const orNull = (value: unknown) => (value === '' ? null : value)
const milliseconds = (time: unknown) => (time === null ? null : String(time).slice(0, -3))

const expectedOf = (event: Row): Row => ({
  id: event['span_id'],
  trace_id: event['trace_id'],
  project_id: event['project_id'],
  environment: event['environment'],
  type: event['type'],
  parent_observation_id: orNull(event['parent_span_id']),
  start_time: milliseconds(event['start_time']),
  end_time: milliseconds(event['end_time']),
  name: event['name'],
  level: event['level'],
  status_message: orNull(event['status_message']),
  version: orNull(event['version']),
  input: orNull(event['input']),
  output: orNull(event['output']),
  provided_model_name: orNull(event['provided_model_name']),
  internal_model_id: orNull(event['model_id']),
  model_parameters: event['model_parameters'],
  provided_usage_details: event['provided_usage_details'],
  usage_details: event['usage_details'],
  provided_cost_details: event['provided_cost_details'],
  cost_details: event['cost_details'],
  total_cost: (event['cost_details'] as Row)['total'] ?? null,
  usage_pricing_tier_id: event['usage_pricing_tier_id'],
  usage_pricing_tier_name: event['usage_pricing_tier_name'],
  completion_start_time: milliseconds(event['completion_start_time']),
  prompt_id: orNull(event['prompt_id']),
  prompt_name: orNull(event['prompt_name']),
  prompt_version: event['prompt_version'],
  created_at: milliseconds(event['created_at']),
  updated_at: milliseconds(event['updated_at']),
  event_ts: milliseconds(event['event_ts']),
  is_deleted: 0,
  tool_definitions: event['tool_definitions'],
  tool_calls: event['tool_calls'],
  tool_call_names: event['tool_call_names'],
})

/** Replaces empty values by absent values, because the events table does not distinguish them. */
const normalized = (row: Row): Row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, orNull(value)]))

test.each(requests)('%s', (_, protobuf) => {
  const record = recordOf(batchOf(protobuf, { spanCount: 100 }))
  const events = createChunkEncoder().encode([record])
  const old = createObservationEncoder().encode([record])
  expect({ rows: old.rows, spans: old.spans, rejected: old.rejected }).toEqual({
    rows: events.rows,
    spans: events.spans,
    rejected: events.rejected,
  })
  const rows: readonly Row[] = readNativeBlock(old.body)
  for (const [at, event] of readNativeBlock(events.body).entries()) {
    const { metadata, ...row } = rows[at]!
    expect(normalized(row)).toEqual(normalized(expectedOf(event)))
    expect(lackingLeaves(event, metadata as Readonly<Record<string, string>>)).toEqual([])
  }
})

function lackingLeaves(event: Row, metadata: Readonly<Record<string, string>>): readonly string[] {
  const names = event['metadata_names'] as readonly string[]
  const values = event['metadata_values'] as readonly string[]
  return names.filter((name, i) => {
    if (/^(resource|scope|span)\..*dropped/.test(name) || /\.length$/.test(name)) return false
    const top = name.split('.')[0]!
    const text = metadata[top] ?? metadata[name]
    if (text === undefined) return Object.keys(metadata).every(key => !name.startsWith(key))
    // In the old table `observations`, the value can be a part of a JSON text. In such a text, the value is escaped, and a list in the
    // value has no spaces.
    const shown = JSON.stringify(values[i]).slice(1, -1)
    const forms = [values[i]!, shown, JSON.stringify(shown).slice(1, -1)]
    return !forms.some(form => text.includes(form) || text.replaceAll(' ', '').includes(form.replaceAll(' ', '')))
  })
}

test('the old table has the same places and selections as the events table, with each observation’s type', () => {
  for (const [, protobuf] of requests) {
    const record = recordOf(batchOf(protobuf, { spanCount: 100 }))
    const encoder = createObservationEncoder()
    const places = encoder.places([record])
    const withoutType = ({ type: _, ...place }: (typeof places)[number]) => place
    expect(places.map(withoutType)).toEqual(createChunkEncoder().places([record]).map(withoutType))
    const rows: readonly Row[] = readNativeBlock(encoder.encode([record]).body)
    expect(places.map(({ type }) => type)).toEqual(rows.map(row => row['type']))
    const half = selectionOf(places.filter((_, at) => at % 2 === 0))
    expect(readNativeBlock(encoder.encode([record], half).body)).toEqual(rows.filter((_, at) => at % 2 === 0))
  }
})

test('the total of one block does not affect another block', () => {
  const encoder = createObservationEncoder()
  const rowOf = (costs: string): Row => {
    const payload = encodeTraceRequest(requestOf({ 'svc.observation.type': 'generation', 'svc.observation.cost_details': costs }))
    return readNativeBlock(encoder.encode([recordOf(batchOf(payload))]).body)[0]!
  }
  expect(rowOf('{"input":1.5}')).toMatchObject({ cost_details: { input: '1.5', total: '1.5' }, total_cost: '1.5' })
  // In this block, the key `b` gets the number that the key `total` had in the previous block.
  expect(rowOf('{"a":1,"b":20000,"c":3}')).toMatchObject({
    cost_details: { a: '1', b: '20000', c: '3', total: '20004' },
    total_cost: '20004',
  })
  expect(rowOf('nothing')).toMatchObject({ cost_details: {}, total_cost: null })
})

test('F50 · keeps a map or a list with a name of more than 16,383 characters as JSON text', () => {
  const name = 'k'.repeat(16_384)
  const map: KeyValue['value'] = { kvlistValue: { values: [name, 'beside'].map(key => ({ key, value: { stringValue: 'said' } })) } }
  const of = (key: string) => [
    { key: `${key}map`, value: map },
    { key: `${key}list`, value: { arrayValue: { values: [map] } } },
  ]
  const span = aSpan({ attributes: of('svc.observation.metadata.') })
  const scope = { name: 'a scope', attributes: of('scope.') }
  const payload = encodeTraceRequest({
    resourceSpans: [{ resource: { attributes: of('resource.') }, scopeSpans: [{ scope, spans: [span] }] }],
  })
  const [row] = readNativeBlock(createObservationEncoder().encode([recordOf(batchOf(payload))]).body) as Row[]
  const { map: own, list, resourceAttributes, scope: ofScope } = row!['metadata'] as Readonly<Record<string, string>>
  const text = JSON.stringify({ [name]: 'said', beside: 'said' })
  expect([own, list]).toEqual([text, `[${text}]`])
  expect(JSON.parse(resourceAttributes!)).toEqual({ 'resource.map': text, 'resource.list': `[${text}]` })
  expect(JSON.parse(ofScope!)).toMatchObject({ attributes: { 'scope.map': text, 'scope.list': `[${text}]` } })
})

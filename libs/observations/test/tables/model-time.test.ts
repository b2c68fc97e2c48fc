import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { event, explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const scope = (name: string): Facts => ({ scope: { name } })

describe('2.1 times', () => {
  test('Appendix A: microseconds are kept', () => {
    expect(map({})).toMatchObject({ start_time: '2026-11-21 12:00:00.123456', end_time: '2026-11-21 12:00:01.000001' })
  })
  test('Appendix C: start missing, end present', () => {
    expect(map({}, { span: { startTimeUnixNano: 0 } })['start_time']).toBe('2026-11-21 12:00:01.000001')
  })
})

describe('2.8 model', () => {
  const keys = [
    'svc.observation.model.name',
    'gen_ai.response.model',
    'ai.model.id',
    'gen_ai.request.model',
    'llm.response.model',
    'llm.model_name',
    'model',
    'ai.response.model',
    'embedding.model_name',
    'model_name',
  ]
  test.each(keys.map((key, i) => [key, Object.fromEntries(keys.slice(i).map(each => [each, `model of ${each}`]))] as const))(
    '2.8 model: %s',
    (key, values) => {
      expect(map(values)['provided_model_name']).toBe(`model of ${key}`)
      expect(map({ ...values, 'gen_ai.operation.name': 'invoke_agent' })['provided_model_name']).toBe('')
      expect(map({ ...values, 'gen_ai.operation.name': 'agent_step' })['provided_model_name']).toBe('')
    },
  )

  test('2.8 model: genkit:name of a model span', () => {
    expect(map({ 'genkit:name': 'g', 'genkit:metadata:subtype': 'model' })['provided_model_name']).toBe('g')
    expect(map({ 'genkit:name': 'g', 'genkit:metadata:subtype': 'tool' })['provided_model_name']).toBe('')
  })

  test('2.8 model: removes the quotes of MLflow’s JSON from the name', () => {
    expect(map({ model: '"gpt-5"' })['provided_model_name']).toBe('gpt-5')
  })
})

describe('2.8 model parameters', () => {
  const parameters = (values: Values, facts?: Facts) => JSON.parse(String(map(values, facts)['model_parameters'])) as unknown
  const given = { 'gen_ai.request.top_k': 1 }

  test.each<[string, Values, Facts, unknown]>([
    ['row 1', { 'svc.observation.model.parameters': '{"t":0.7,"s":"x"}', ...given }, {}, { t: 0.7, s: 'x' }],
    [
      'row 1: what is no text and no number becomes JSON text',
      { 'svc.observation.model.parameters': '{"b":true,"n":null,"o":{"a":1}}' },
      {},
      { b: 'true', n: 'null', o: '{"a":1}' },
    ],
    ['row 1: {} stops the search', { 'svc.observation.model.parameters': '{}', ...given }, {}, {}],
    ['row 1: a list becomes an object', { 'svc.observation.model.parameters': '["a"]', ...given }, {}, { '0': 'a' }],
    ['row 1: a number is stored', { 'svc.observation.model.parameters': '7', ...given }, {}, 7],
    ...['null', '0', 'false', 'no json', ''].map((text): [string, Values, Facts, unknown] => [
      `row 1: the next row applies if the text is ${text || 'empty'}`,
      { 'svc.observation.model.parameters': text, ...given },
      {},
      { top_k: 1 },
    ]),
    [
      'row 2: genkit input config',
      { 'genkit:input': '{"config":{"t":1}}', 'genkit:output': '{"request":{"config":{"t":2}}}' },
      scope('genkit-tracer'),
      { t: 1 },
    ],
    [
      'row 2: genkit output config',
      { 'genkit:input': '{}', 'genkit:output': '{"request":{"config":{"t":2}}}' },
      scope('genkit-tracer'),
      { t: 2 },
    ],
    ['row 3: what the span does not have is left out', {}, scope('ai'), {}],
    ...['null', 'undefined', ' null '].map((text): [string, Values, Facts, unknown] => [
      `row 3: the text ${text} is no setting`,
      { 'ai.prompt.toolChoice': text, 'ai.settings.maxRetries': 2, 'ai.settings.mode': text, 'gen_ai.request.service_tier': text },
      scope('ai'),
      { maxRetries: '2' },
    ]),
    [
      'row 3: the next name where the first says nothing',
      { 'gen_ai.system': 'null', 'ai.model.provider': 'openai.chat' },
      scope('ai'),
      { system: 'openai.chat' },
    ],
    ['row 3: a report that is null', { 'ai.response.providerMetadata': 'null' }, scope('ai'), {}],
    ['row 3: explicit parameters that are null', { 'svc.observation.model.parameters': 'null' }, scope('ai'), {}],
    [
      'row 3: their values as text',
      {
        'ai.settings.maxSteps': 3,
        'ai.prompt.toolChoice': '{"type":"auto"}',
        'gen_ai.request.max_tokens': 100,
        'gen_ai.response.finish_reasons': ['stop', 'length'],
        'gen_ai.finishReason': 'never',
        'gen_ai.system': 'openai',
        'ai.model.provider': 'never',
        'ai.settings.maxRetries': 2,
        'ai.settings.mode': 'json',
        'gen_ai.request.temperature': 0.5,
        'gen_ai.request.service_tier': 'flex',
      },
      scope('ai'),
      {
        maxSteps: '3',
        toolChoice: '{"type":"auto"}',
        maxTokens: '100',
        finishReason: 'stop,length',
        system: 'openai',
        maxRetries: '2',
        mode: 'json',
        temperature: '0.5',
        service_tier: 'flex',
      },
    ],
    ['row 3: legacy finish reason', { 'gen_ai.finishReason': 'stop' }, scope('ai'), { finishReason: 'stop' }],
    ['row 3: provider', { 'ai.model.provider': 'openai.chat' }, scope('ai'), { system: 'openai.chat' }],
    [
      'row 3: service tier of the provider',
      { 'ai.response.providerMetadata': '{"openai":{"serviceTier":"default"}}', 'gen_ai.request.service_tier': 'never' },
      scope('ai'),
      { service_tier: 'default' },
    ],
    [
      'row 3: explicit parameters override',
      { 'svc.observation.model.parameters': '{"temperature":1,"own":2}' },
      scope('ai'),
      { temperature: 1, own: 2 },
    ],
    ['row 4', { 'llm.invocation_parameters': '{"t":1}', model_config: '{"t":2}' }, {}, { t: 1 }],
    ['row 4: embeddings', { 'embedding.invocation_parameters': '{"t":3}' }, {}, { t: 3 }],
    ['row 5', { model_config: '{"t":2}', ...given }, {}, { t: 2 }],
    [
      'row 6',
      {
        'gen_ai.request.temperature': 0.5,
        'gen_ai.request.stop': ['a'],
        'gen_ai.request.stream': true,
        'gen_ai.request.model': 'm',
        'llm.invocation_parameters.top_p': '1',
      },
      {},
      { temperature: 0.5, stop: '["a"]', stream: 'true', top_p: '1' },
    ],
    ['row 6: on equal names the invocation’s wins', { 'gen_ai.request.t': 1, 'llm.invocation_parameters.t': 2 }, {}, { t: 2 }],
    [
      'row 6: an attribute without a value is no setting',
      {},
      {
        span: {
          attributes: [
            { key: 'gen_ai.request.t', value: {} },
            { key: 'gen_ai.request.k', value: { intValue: 1 } },
          ],
        },
      },
      { k: 1 },
    ],
    ['none', {}, {}, {}],
  ])('2.8 parameters %s', (_, values, facts, expected) => {
    expect(parameters(values, facts)).toEqual(expected)
  })
})

describe('2.12 completion start time', () => {
  const at = (values: Values, facts?: Facts) => map(values, facts)['completion_start_time']
  const iso = '2026-11-21T12:00:00.250Z'
  const later = { 'ai.response.msToFirstChunk': 5 }

  test.each<[string, Values, string | null]>([
    ['a date', { 'svc.observation.completion_start_time': iso, ...later }, '2026-11-21 12:00:00.250000'],
    [
      'a date in a JSON text (real clients 6)',
      { 'svc.observation.completion_start_time': `"${iso}"`, ...later },
      '2026-11-21 12:00:00.250000',
    ],
    ['microseconds', { 'svc.observation.completion_start_time': '2026-11-21T12:00:00.250001+00:00' }, '2026-11-21 12:00:00.250001'],
    [
      'the next row applies if the text is not a date',
      { 'svc.observation.completion_start_time': 'soon', ...later },
      '2026-11-21 12:00:00.128456',
    ],
    [
      'ai.response.msToFirstChunk, rounded up',
      { 'ai.response.msToFirstChunk': 1.2, 'ai.stream.msToFirstChunk': 9 },
      '2026-11-21 12:00:00.125456',
    ],
    ['ai.stream.msToFirstChunk', { 'ai.stream.msToFirstChunk': '3' }, '2026-11-21 12:00:00.126456'],
    ['0 ms', { 'ai.response.msToFirstChunk': 0 }, null],
    ['no number', { 'ai.response.msToFirstChunk': 'fast' }, null],
    [
      'time_to_first_chunk in seconds (real clients 8)',
      { 'gen_ai.client.operation.time_to_first_chunk': 0.25 },
      '2026-11-21 12:00:00.373456',
    ],
    ['none', {}, null],
  ])('2.12 %s', (_, values, expected) => {
    expect(at(values)).toBe(expected)
  })

  test('real clients 8: the event of the first token', () => {
    expect(at({}, { span: { events: [event('First Token Stream Event')] } })).toBe('2026-11-21 12:00:00.500000')
  })
})

describe('Appendix C', () => {
  test('Appendix C: chat span with cache and reasoning', () => {
    const row = map({
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 40,
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.reasoning.output_tokens': 10,
    })
    expect(row['usage_details']).toEqual({ input: 60, input_cached_tokens: 40, output: 20, output_reasoning_tokens: 10, total: 130 })
  })
  test('Appendix C: level "warn" with status code 2', () => {
    expect(map({ 'svc.observation.level': 'warn' }, { span: { status: { code: 2 } } })['level']).toBe('WARNING')
  })
  test('Appendix C: level "[x]" with status code 2', () => {
    expect(map({ 'svc.observation.level': '[x]' }, { span: { status: { code: 2 } } })['level']).toBe('ERROR')
  })
  test('Appendix C: environment SVC-svc_Prod!', () => {
    expect(map({ 'svc.environment': 'SVC-svc_Prod!' })['environment']).toBe('default')
  })
  test('Appendix C: metadata JSON', () => {
    expect(map({ 'svc.observation.metadata': '{"a":{"b":1},"c":[1]}' }).metadata).toEqual({ 'a.b': '1', c: '[1]' })
  })
  test('Appendix C: experiment item version v1', () => {
    expect(map({ 'svc.experiment.item.version': 'v1' })['experiment_item_version']).toBeNull()
  })
  test('Appendix C: direct path root span', () => {
    const rows = explainBoth(requestOf({}))
    expect(rows.map(row => [row['parent_span_id'], row['span_id']])).toEqual([['', 'b7ad6b7169203331']])
  })
  test('Appendix C: 999999.9999999 is kept, 1e6 is clamped', () => {
    const cost = (text: string) => map({ 'svc.observation.cost_details': `{"total":${text}}` })['provided_cost_details']
    expect(cost('999999.9999999')).toEqual({ total: '999999.9999999' })
    expect(cost('1e6')).toEqual({ total: '999999.999999' })
  })
})

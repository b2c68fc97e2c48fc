import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Mapping, openMapping, requestOf } from './mapped-rows.ts'

let mapping: Mapping
beforeAll(async () => {
  mapping = await openMapping()
})
afterAll(() => mapping.close())

const row: Mapping['row'] = (...args) => mapping.row(...args)
const map = (values: Parameters<typeof requestOf>[0], facts?: Parameters<typeof requestOf>[1]) => row(requestOf(values, facts))

describe('model, parameters, prompt', () => {
  test.each([
    [{ 'gen_ai.request.model': 'r', 'gen_ai.response.model': 's' }, 's'],
    [{ 'svc.observation.model.name': 'n', 'gen_ai.response.model': 's' }, 'n'],
    [{ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.request.model': 'r' }, ''],
  ] as const)('model of %o', (values, model) => {
    expect(map(values)['provided_model_name']).toBe(model)
  })

  test.each([
    [{}, {}],
    [
      { 'svc.observation.model.parameters': '{"t":0.7,"s":"x","b":true,"n":null,"o":{"a":1}}' },
      { t: 0.7, s: 'x', b: 'true', n: 'null', o: '{"a":1}' },
    ],
    [{ 'svc.observation.model.parameters': '{}', 'gen_ai.request.top_k': 1 }, {}],
    [{ 'svc.observation.model.parameters': 'no json', 'gen_ai.request.top_k': 1 }, { top_k: 1 }],
    [
      { 'gen_ai.request.temperature': 0.5, 'gen_ai.request.model': 'm', 'gen_ai.request.stop': ['a'], 'gen_ai.request.stream': true },
      { temperature: 0.5, stop: '["a"]', stream: 'true' },
    ],
  ] as const)('parameters of %o', (values, parameters) => {
    expect(JSON.parse(String(map(values)['model_parameters']))).toEqual(parameters)
  })

  test('numbers among the parameters keep their digits', () => {
    const values = { 'svc.observation.model.parameters': '{"seed": 12345678901234567890, "p": 1.50}' }
    expect(map(values)['model_parameters']).toBe('{"seed":12345678901234567890,"p":1.50}')
  })

  test('only generations have a prompt', () => {
    const prompt = { 'svc.observation.prompt.name': 'greeting', 'svc.observation.prompt.version': 3 }
    expect(map({ ...prompt, 'svc.observation.type': 'generation' })).toMatchObject({ prompt_name: 'greeting', prompt_version: 3 })
    expect(map(prompt)).toMatchObject({ prompt_name: '', prompt_version: null })
    expect(map({ ...prompt, 'svc.observation.prompt.version': '3abc', model: 'm' })['prompt_version']).toBe(3)
    expect(map({ ...prompt, 'svc.observation.prompt.version': 70000, model: 'm' })['prompt_version']).toBe(null)
  })

  test('reads the time of the first token from a JSON string, as SDKs send it', () => {
    const at = (text: string) => map({ 'svc.observation.completion_start_time': text })['completion_start_time']
    expect(at('"2026-11-21T12:00:00.5Z"')).toBe('2026-11-21 12:00:00.500000')
    expect(at('2026-11-21T12:00:00.123456Z')).toBe('2026-11-21 12:00:00.123456')
    expect(at('soon')).toBe(null)
  })
})

describe('usage and cost', () => {
  test('stores the token counts of the semantic conventions with their sum', () => {
    expect(map({ 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': '30' })).toMatchObject({
      provided_usage_details: { input: '100', output: '30' },
      usage_details: { input: '100', output: '30', total: '130' },
    })
  })

  test('the SDK’s details win, and a given total stays', () => {
    const row = map({ 'svc.observation.usage_details': '{"input":1,"total":5}', 'gen_ai.usage.input_tokens': 100 })
    expect(row['usage_details']).toEqual({ input: '1', total: '5' })
  })

  test('a count beyond UInt64 is omitted from the map and stays in the metadata', () => {
    const text = '{"input":18446744073709551615,"huge":1e30,"half":0.5,"neg":-1,"word":"many","nested":{"a":1}}'
    const scope = { name: 'svc-sdk', version: '5.0.0' }
    for (const facts of [{}, { scope }]) {
      const row = map({ 'svc.observation.usage_details': text }, facts)
      expect(row['provided_usage_details']).toEqual({ input: '18446744073709551615' })
      expect(row.metadata['attributes.svc.observation.usage_details']).toEqual([text, 0])
    }
  })

  test('money is exact', () => {
    const cost = map({ 'svc.observation.cost_details': '{"input":0.0105,"output":0.1,"x":"0.2"}' })
    expect(cost['cost_details']).toEqual({ input: 0.0105, output: 0.1, x: 0.2, total: 0.3105 })
    expect(map({ 'svc.observation.cost_details': '{"total":1e9}' })['cost_details']).toEqual({ total: 999999.999999 })
    expect(map({ 'gen_ai.usage.cost': 1e-7 })['cost_details']).toEqual({ total: 1e-7 })
    expect(map({ 'gen_ai.usage.cost': Number.NaN })['cost_details']).toEqual({})
  })

  test('an agent’s span repeats its children, so its usage is not counted', () => {
    expect(map({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 5 })['usage_details']).toEqual({})
  })
})

import { attributes, type KeyValue } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { aSpan, requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const json = JSON.stringify
const schema = { type: 'object', properties: { city: { type: 'string' } } }
const definition = (description: string, parameters: unknown = schema) =>
  json({ description, parameters: parameters === '' ? '' : json(parameters) })

const nested = (name: string) => ({ type: 'function', function: { name, description: 'd', parameters: schema } })
const flat = (name: string) => ({ type: 'function', name, description: 'd', parameters: schema })
const withInputSchema = (name: string) => ({ type: 'function', name, description: 'd', inputSchema: schema })
const pydantic = (name: string) => ({ name, description: 'd', parameters_json_schema: schema, outer_typed_dict_key: null })

describe('2.13 definitions: sources in order', () => {
  const requestParameters = json({ function_tools: [pydantic('p')], output_mode: 'text' })
  const sources: readonly (readonly [string, Values, string])[] = [
    ['metadata tools', { 'svc.observation.metadata.tools': json([nested('m')]) }, 'm'],
    ['ai.prompt.tools', { 'ai.prompt.tools': [json(withInputSchema('v'))] }, 'v'],
    ['gen_ai.tool.definitions', { 'gen_ai.tool.definitions': json([flat('g')]) }, 'g'],
    ['model_request_parameters.function_tools', { model_request_parameters: requestParameters }, 'p'],
    ['llm.tools.<n>.tool.json_schema', { 'llm.tools.0.tool.json_schema': json(nested('o')) }, 'o'],
  ]

  test.each(sources)('2.13 %s', (_, values, name) => {
    const row = map({ ...values, 'input.value': 'hi' })
    expect(row['tool_definitions']).toEqual({ [name]: definition('d') })
    expect(JSON.parse(row['input'] as string)).toMatchObject({ prompt: 'hi' })
    const left = Object.keys(row.metadata).filter(key => !key.startsWith('scope'))
    expect(left).toEqual('model_request_parameters' in values ? ['attributes.model_request_parameters'] : [])
  })
  test('2.13 the first source of a name wins, and all names move in order', () => {
    const row = map({ ...Object.assign({}, ...sources.map(([, values]) => values)), 'input.value': 'hi' })
    const { tools } = JSON.parse(row['input'] as string) as { tools: { name?: string; function?: { name: string } }[] }
    expect(tools.map(tool => tool.name ?? tool.function!.name)).toEqual(['m', 'v', 'g', 'p', 'o'])
    expect(row.explained.columns['tool_definitions']!.attributes).toEqual([
      'tools',
      'ai.prompt.tools',
      'gen_ai.tool.definitions',
      'model_request_parameters',
      'llm.tools.0.tool.json_schema',
    ])
  })
  test('2.13 keeps llm.tools in the order of their numbers', () => {
    const values = Object.fromEntries([10, 9, 0].map(n => [`llm.tools.${n}.tool.json_schema`, json(nested(`t${n}`))]))
    expect(Object.keys(map(values)['tool_definitions'] as object)).toEqual(['t0', 't9', 't10'])
  })
  test('2.13 other parameters of the request stay in the metadata', () => {
    expect(map({ model_request_parameters: requestParameters }).metadata).toEqual({
      'attributes.model_request_parameters': '{"output_mode":"text"}',
    })
  })
  test('2.13 takes no definitions from attributes of a scope of the SDK', () => {
    const row = map({ 'gen_ai.tool.definitions': json([flat('g')]) }, { scope: { name: 'svc-sdk' } })
    expect(row).toMatchObject({ tool_definitions: {}, input: '' })
  })
  test('2.13 a list moves only when every entry is a tool', () => {
    const list = json([flat('g'), { anything: 1 }])
    const row = map({ 'gen_ai.tool.definitions': list, 'svc.observation.metadata.tools': '["hammer"]' })
    expect(row).toMatchObject({ tool_definitions: {}, input: '' })
    expect(row.metadata).toMatchObject({ 'attributes.gen_ai.tool.definitions': list, tools: '["hammer"]' })
  })
  test('2.13 a provider’s built-in tool in ai.prompt.tools moves and defines nothing', () => {
    const row = map({ 'ai.prompt.tools': [json({ type: 'provider-defined', id: 'web' }), json(withInputSchema('v'))] })
    expect(Object.keys(row['tool_definitions'] as object)).toEqual(['v'])
    expect(JSON.parse(row['input'] as string)).toMatchObject({ tools: [{ type: 'provider-defined' }, { name: 'v' }] })
  })
})

describe('2.13 definitions: tools with only a name', () => {
  const named = [{ name: 't' }]
  const bare = { t: definition('', '') }
  const sources: readonly (readonly [string, Values])[] = [
    ['metadata tools', { 'svc.observation.metadata.tools': json(named) }],
    ['ai.prompt.tools, as texts', { 'ai.prompt.tools': [json(named[0])] }],
    ['gen_ai.tool.definitions', { 'gen_ai.tool.definitions': json(named) }],
    ['a function in gen_ai.tool.definitions', { 'gen_ai.tool.definitions': json([{ function: { name: 't' } }]) }],
    ['function_tools', { model_request_parameters: json({ function_tools: named }) }],
    [
      'function_tools with a member that no rule knows',
      { model_request_parameters: json({ function_tools: [{ name: 't', strict: true }] }) },
    ],
    ['llm.tools.<n>.tool.json_schema', { 'llm.tools.0.tool.json_schema': json(named[0]) }],
  ]
  test.each(sources)('2.13 %s', (_, values) => {
    const row = map({ ...values, 'input.value': 'hi' })
    expect(row['tool_definitions']).toEqual(bare)
    expect(JSON.parse(row['input'] as string)).toMatchObject({ prompt: 'hi', tools: [{}] })
  })
  test.each<[string, unknown]>([
    ['tools of the input', { messages: [], tools: named }],
    ['tools of the input as a text', { tools: json(named) }],
    ['tools of a message', [{ role: 'user', tools: named }]],
    ['a message of role tool', [{ role: 'tool', content: { type: 'function', name: 't' } }]],
  ])('2.13 %s', (_, input) => {
    expect(map({ 'svc.observation.input': json(input) })['tool_definitions']).toEqual(bare)
  })
  test('2.13 an entry of the user’s own `tools` is a tool only without members other than its name', () => {
    const tools = json([{ name: 'hammer', price: 5 }])
    const row = map({ 'svc.observation.metadata.tools': tools, 'input.value': 'hi' })
    expect(row).toMatchObject({ tool_definitions: {}, input: 'hi' })
    expect(row.metadata['tools']).toBe(tools)
  })
  test.each(['', 5, null, {}])('2.13 %o is not a name', name => {
    expect(map({ 'gen_ai.tool.definitions': json([{ name }]) })['tool_definitions']).toEqual({})
  })
})

describe('2.13 definitions: the resulting input', () => {
  const tools = json([flat('g')])
  const moved = (input: string | undefined) => {
    const row = map({ 'gen_ai.tool.definitions': tools, ...(input === undefined ? {} : { 'input.value': input }) })
    return row['input'] as string
  }
  test.each<[string, string | undefined, unknown]>([
    ['a list', '[{"role":"user"}]', { messages: [{ role: 'user' }], tools: [flat('g')] }],
    ['an object', '{"a":1}', { a: 1, tools: [flat('g')] }],
    ['a text', 'hi', { prompt: 'hi', tools: [flat('g')] }],
    ['a text as JSON', '"hi"', { prompt: 'hi', tools: [flat('g')] }],
    ['nothing', undefined, { tools: [flat('g')] }],
    ['null', 'null', { tools: [flat('g')] }],
    ['its own tools come first and win', json({ tools: [nested('own'), pydantic('g')] }), { tools: [nested('own'), pydantic('g')] }],
  ])('2.13 %s', (_, input, expected) => {
    expect(JSON.parse(moved(input))).toEqual(expected)
  })
  test.each(['5', 'true', '{"tools":"hammer"}'])('2.13 %s: nothing moves', input => {
    const row = map({ 'gen_ai.tool.definitions': tools, 'input.value': input })
    expect(row).toMatchObject({ input, tool_definitions: {} })
    expect(row.metadata['attributes.gen_ai.tool.definitions']).toBe(tools)
  })
  test('2.13 numbers of the input keep their digits', () => {
    expect(moved('{"n":12345678901234567890,"f":1.50}')).toContain('"n":12345678901234567890,"f":1.50')
  })
})

describe('2.13 definitions: inside the input', () => {
  test.each<[string, unknown]>([
    ['input tools', { tools: [nested('t')] }],
    ['tools of a message', [{ role: 'user', content: 'x', tools: [flat('t')] }]],
    ['tools of a message in messages', { messages: [{ role: 'user', tools: [flat('t')] }] }],
    ['a message of role tool', [{ role: 'tool', content: nested('t') }]],
  ])('2.13 %s', (_, input) => {
    for (const text of [json(input), JSON.stringify(input, null, 2)]) {
      const row = map({ 'svc.observation.input': text })
      expect(row).toMatchObject({ tool_definitions: { t: definition('d') }, input: text })
    }
  })
  test.each<[string, unknown]>([
    ['{type, function}', nested('t')],
    ['flat', flat('t')],
    ['inputSchema', withInputSchema('t')],
    ['parameters_json_schema', pydantic('t')],
    ['input_schema of Anthropic', { name: 't', description: 'd', input_schema: schema }],
    ['toolSpec of Bedrock', { toolSpec: { name: 't', description: 'd', inputSchema: { json: schema } } }],
    ['functionDeclarations of Gemini', { functionDeclarations: [{ name: 't', description: 'd', parametersJsonSchema: schema }] }],
    ['function_declarations of Gemini', { function_declarations: [{ name: 't', description: 'd', parameters: schema }] }],
    ['a schema under a name that nobody knows', { name: 't', description: 'd', arguments: schema }],
    ['desc', { name: 't', desc: 'd', parameters: json(schema) }],
  ])('2.13 shape %s', (_, tool) => {
    expect(map({ 'svc.observation.input': json({ tools: [tool] }) })['tool_definitions']).toEqual({ t: definition('d') })
  })
  test('2.13 missing texts become empty, and the first of equal names wins', () => {
    const tools = [{ name: 't', strict: true }, flat('t')]
    expect(map({ 'svc.observation.input': json({ tools }) })['tool_definitions']).toEqual({ t: definition('', '') })
  })
  test('text within a string is not a key', () => {
    const text = json([{ role: 'user', content: json({ tools: [flat('t')] }) }])
    expect(map({ 'svc.observation.input': text })['tool_definitions']).toEqual({})
  })
})

describe('2.15 definitions in unmodified provider requests', () => {
  test.each<[string, object]>([
    ['Gemini', { model: 'm', config: { tools: [{ function_declarations: [{ name: 't', description: 'd', parameters: schema }] }] } }],
    ['Bedrock', { messages: [], toolConfig: { tools: [{ toolSpec: { name: 't', description: 'd', inputSchema: { json: schema } } }] } }],
    ['the first interface of OpenAI', { messages: [], functions: [{ name: 't', description: 'd', parameters: schema }] }],
  ])('2.15 %s', (_, input) => {
    expect(map({ 'input.value': json(input) })['tool_definitions']).toEqual({ t: definition('d') })
  })
  test('2.15 a provider’s built-in tools move along with the others', () => {
    const tools = [{ functionDeclarations: [{ name: 't', description: 'd', parameters: schema }] }, { googleSearch: {} }]
    const row = map({ 'gen_ai.tool.definitions': json(tools), 'input.value': 'hi' })
    expect(row['tool_definitions']).toEqual({ t: definition('d') })
    expect(JSON.parse(row['input'] as string)).toEqual({ prompt: 'hi', tools })
  })
})

test('texts that the mapping creates are searched separately for every span', () => {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const map = (values: KeyValue[]) => ({ key: 'svc.observation.output', value: { kvlistValue: { values } } })
  const call = { kvlistValue: { values: [text('id', 'c1'), text('name', 'weather'), text('arguments', '{}')] } }
  const outputs = [
    map([text('role', 'assistant'), text('content', 'without any')]),
    map([text('role', 'assistant'), { key: 'tool_calls', value: { arrayValue: { values: [call] } } }]),
  ]
  const spans = outputs.map((output, i) => ({ ...aSpan(), spanId: `b7ad6b716920333${i}`, attributes: [output] }))
  const rows = explainBoth({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  expect(rows.map(row => row['tool_call_names'])).toEqual([[], ['weather']])
})

test('hostile definitions never throw', () => {
  const deep = '['.repeat(100_000)
  const list = attributes({
    'gen_ai.tool.definitions': deep,
    'ai.prompt.tools': [deep, ''],
    model_request_parameters: `{"function_tools":${deep}`,
  })
  const row = explainBoth(requestOf({}, { span: { attributes: list } }))[0]!
  expect(row['tool_definitions']).toEqual({})
  expect(row.metadata['attributes.gen_ai.tool.definitions']).toBe(deep)
})

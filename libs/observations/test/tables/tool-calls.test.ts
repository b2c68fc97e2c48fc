import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callsOf } from '../../src/columns/tools/calls.ts'
import { definitionsOf } from '../../src/rules/tool-definitions.ts'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const json = JSON.stringify

describe('2.13 calls', () => {
  const call = (fields: object = {}) => json({ id: 'c1', arguments: '{"city":"Oslo"}', type: 'function', index: 0, ...fields })
  const args = '{"city":"Oslo"}'
  const openAi = { id: 'c1', type: 'function', function: { name: 'weather', arguments: args } }
  const message = { role: 'assistant', content: 'Let me see "it"' }

  test.each<[string, unknown, string]>([
    ['tool_calls', { ...message, tool_calls: [openAi] }, call()],
    ['tool_calls before the text', { role: 'assistant', tool_calls: [openAi], content: 'x' }, call()],
    ['tool_calls as JSON text', { ...message, tool_calls: json([openAi]) }, call()],
    ['toolCalls', { ...message, toolCalls: [{ toolCallId: 'c1', toolName: 'weather', args: { city: 'Oslo' } }] }, call({ type: '' })],
    ['a list of messages', [message, { ...message, tool_calls: [openAi] }], call()],
    ['a list of calls', [openAi], call()],
    ['one call', openAi, call()],
    ['a message that is one', { role: 'assistant', ...openAi }, call()],
    [
      'a message that is one of the responses API',
      { role: 'assistant', type: 'function_call', call_id: 'c1', name: 'weather', arguments: args },
      call({ type: 'function_call' }),
    ],
    [
      'a call of the responses API',
      [{ type: 'function_call', call_id: 'c1', id: 'x', name: 'weather', arguments: args }],
      call({ type: 'function_call' }),
    ],
    ['choices', { choices: [{ message: { ...message, tool_calls: [openAi] } }] }, call()],
    [
      'content of type tool_use',
      {
        ...message,
        content: [
          { type: 'text', text: 'x' },
          { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
        ],
      },
      call({ type: 'tool_use' }),
    ],
    [
      'content of type tool-call',
      { ...message, content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', args }] },
      call({ type: 'tool-call' }),
    ],
    [
      'parts of type tool_call',
      [
        {
          role: 'assistant',
          parts: [
            { type: 'text', content: 'x' },
            { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Oslo' } },
          ],
        },
      ],
      call({ type: 'tool_call' }),
    ],
    [
      'parts with arguments as JSON text',
      [{ role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: args }] }],
      call({ type: 'tool_call' }),
    ],
    ['additional_kwargs.tool_calls', { role: 'assistant', content: '', additional_kwargs: { tool_calls: [openAi] } }, call()],
    ['an index', { ...message, tool_calls: [{ ...openAi, index: 2 }] }, call({ index: 2 })],
  ])('2.13 %s', (_, output, expected) => {
    for (const text of [json(output), JSON.stringify(output, null, 1)]) {
      expect(map({ 'svc.observation.output': text })).toMatchObject({ tool_calls: [expected], tool_call_names: ['weather'], output: text })
    }
  })
  const plain = { id: 'c1', name: 'weather', args: { city: 'Oslo' } }
  test.each<[string, unknown, string]>([
    ['Gemini', { candidates: [{ content: { role: 'model', parts: [{ text: 'x' }, { functionCall: plain }] } }] }, call({ type: '' })],
    ['Gemini, in snake case', { content: { role: 'model', parts: [{ function_call: plain }] }, partial: false }, call({ type: '' })],
    [
      'Bedrock Converse',
      { output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Oslo' } } }] } } },
      call({ type: '' }),
    ],
    [
      'a choice with its parts as a text',
      { finish_reason: 'tool_use', message: json([{ toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Oslo' } } }]) },
      call({ type: '' }),
    ],
    [
      'OpenInference',
      [{ message: { role: 'assistant', tool_calls: [{ tool_call: { id: 'c1', function: { name: 'weather', arguments: args } } }] } }],
      call(),
    ],
    [
      'OpenAI responses',
      {
        id: 'r',
        output: [
          { type: 'reasoning', summary: [] },
          { type: 'function_call', call_id: 'c1', name: 'weather', arguments: args },
        ],
      },
      call({ type: 'function_call' }),
    ],
    [
      'OpenAI’s first interface',
      { role: 'assistant', content: null, function_call: { name: 'weather', arguments: args } },
      call({ id: '', type: '' }),
    ],
    ['LangChain', { generations: [[{ message: { kwargs: { tool_calls: [plain] } } }]] }, call({ type: '' })],
    [
      'MCP',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'weather', arguments: { city: 'Oslo' } } },
      call({ id: '', type: '' }),
    ],
    [
      'Anthropic’s own tools',
      { role: 'assistant', content: [{ type: 'server_tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } }] },
      call({ type: 'server_tool_use' }),
    ],
  ])('2.15 %s', (_, output, expected) => {
    for (const text of [json(output), JSON.stringify(output, null, 1)]) {
      expect(map({ 'svc.observation.output': text })).toMatchObject({ tool_calls: [expected], tool_call_names: ['weather'], output: text })
    }
  })
  test('2.13 keeps one call per id, or per name and arguments without an id, and none without a name', () => {
    const anonymous = { function: { name: 'weather', arguments: args } }
    const output = {
      ...message,
      tool_calls: [openAi, openAi, anonymous, anonymous, { id: 'c2', function: {} }, { id: 'c3', name: 'time' }],
    }
    expect(map({ 'svc.observation.output': json(output) })).toMatchObject({
      tool_calls: [call(), call({ id: '' }), json({ id: 'c3', arguments: '{}', type: '', index: 0 })],
      tool_call_names: ['weather', 'weather', 'time'],
    })
  })
  test('2.13 distinguishes calls without an id whose concatenated names and arguments are equal', () => {
    const calls = [
      { name: 'search', arguments: 'web cats' },
      { name: 'search web', arguments: 'cats' },
    ]
    expect(map({ 'svc.observation.output': json({ ...message, tool_calls: calls }) })).toMatchObject({
      tool_call_names: ['search', 'search web'],
    })
  })
  test.each([
    'plain text of tool_calls',
    json(message),
    '{"role":"assistant","content":"\\"tool_calls\\":[{\\"id\\":1}]"}',
    '["tool", "call"]',
    '{"tool_calls":[',
    '5',
  ])('2.13 %s contains no call', text => {
    expect(map({ 'svc.observation.output': text })).toMatchObject({ tool_calls: [], tool_call_names: [] })
  })
  const results: readonly object[] = [
    { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: { type: 'text', value: 'sunny' } },
    { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', args: {}, result: 'sunny' },
    { type: 'tool-error', toolCallId: 'c1', toolName: 'weather', input: {}, error: 'rain' },
    { type: 'tool_result', tool_use_id: 'c1', name: 'weather', arguments: '{}', content: 'sunny' },
    { type: 'tool_call_response', id: 'c1', name: 'weather', arguments: {}, response: 'sunny' },
    { type: 'function_call_output', call_id: 'c1', name: 'weather', arguments: '{}', output: 'sunny' },
    { type: 'function_response', name: 'weather', arguments: '{}' },
    { type: 'tool-result', function: { name: 'weather', arguments: '{}' } },
    { role: 'tool', toolCallId: 'c1', toolName: 'weather', content: 'sunny' },
    { role: 'function', name: 'weather', arguments: '{}', content: 'sunny' },
    { toolCallId: 'c1', toolName: 'weather', result: 'sunny' },
    { toolCallId: 'c1', toolName: 'weather', output: 'sunny' },
  ]
  test.each(results.map(result => [json(result), result] as const))('2.13 a tool’s result is not a call: %s', (_, result) => {
    const outputs = [result, [result], { role: 'tool', content: [result] }, [{ role: 'tool', parts: [result] }], { tool_calls: [result] }]
    for (const output of outputs) expect(map({ 'svc.observation.output': json(output) })['tool_calls']).toEqual([])
  })
  test('2.13 finds a call beside its result', () => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: {} }
    expect(map({ 'svc.observation.output': json([...results, call]) })['tool_call_names']).toEqual(['weather'])
  })
  test('2.13 finds a call that contains its result', () => {
    const call = { toolCallId: 'c1', toolName: 'weather', args: {}, result: 'sunny' }
    expect(map({ 'svc.observation.output': json([call]) })['tool_call_names']).toEqual(['weather'])
  })
})

test('the quick search finds the same calls and definitions as a full parse of any JSON', () => {
  const word = fc.constantFrom(
    'role',
    'tool_calls',
    'toolCalls',
    'content',
    'parts',
    'type',
    'name',
    'function',
    'arguments',
    'id',
    'choices',
    'message',
  )
  const leaf = fc.oneof(
    fc.constantFrom('tool_use', 'tool_call', 'tool_result', 'function', 'weather', '"tool_calls":[', '\\', '"'),
    fc.integer(),
    fc.constant(null),
  )
  const { value } = fc.letrec(tie => ({
    value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(word, tie('value'), { maxKeys: 4 })),
  }))
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1), (output, space) => {
      const text = JSON.stringify(output, null, space)
      const row = map({ 'svc.observation.output': text, 'svc.observation.input': text })
      const calls = callsOf(JSON.parse(text))
      expect(row['tool_call_names']).toEqual(calls.map(({ name }) => name))
      expect(row['tool_calls']).toEqual(calls.map(({ json: call }) => call))
      expect(Object.keys(row['tool_definitions'] as object).sort()).toEqual(
        definitionsOf(JSON.parse(text))
          .map(({ name }) => name)
          .sort(),
      )
    }),
    // The message has no role. The mapping therefore recognizes the call by its type.
    { numRuns: sized(300, 100), examples: [[{ role: [], type: 'tool_use', name: 'tool_use' }, 0]] },
  )
})

test('calls in their most common form are read from the bytes with the same result', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ä', '"', '\\', '/', '\n', '\u0001', '🙂', '{', ']', ' ') })
  const call = fc.record(
    {
      id: text,
      type: fc.constantFrom('function', 'tool_result'),
      function: fc.record({ name: text, arguments: text }, { requiredKeys: ['name'] }),
    },
    { requiredKeys: ['function'] },
  )
  const escaped = (json: string) => json.replaceAll('ä', '\\u00e4').replaceAll('/', '\\/')
  fc.assert(
    fc.property(fc.array(call, { maxLength: 10 }), text, fc.constantFrom(0, 1), fc.boolean(), (list, content, space, escapes) => {
      const plain = JSON.stringify({ role: 'assistant', content, tool_calls: list }, null, space)
      const output = escapes ? escaped(plain) : plain
      const expected = callsOf(JSON.parse(output))
      const row = map({ 'svc.observation.output': output })
      expect(row['tool_call_names']).toEqual(expected.map(({ name }) => name))
      expect(row['tool_calls']).toEqual(expected.map(({ json: each }) => each))
    }),
    { numRuns: sized(300, 100) },
  )
})

// Clients send chats in different formats. The code must convert all formats to the same messages.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chatOf, type Part } from './chat.ts'
import { parseExact, writeExact } from './exact.ts'

const user = { role: 'user', parts: [{ kind: 'text', text: 'Where is it?' }] }
const call: Part = { kind: 'call', id: 'c1', name: 'search', arguments: { q: 'parcel' } }
const result: Part = { kind: 'result', id: 'c1', name: '', content: { at: 'Bonn' } }
const answer = { kind: 'text', text: 'In Bonn.' }
const thought = { kind: 'reasoning', text: 'Look it up.' }

const fixtures: readonly (readonly [name: string, value: unknown, messages: readonly object[]])[] = [
  [
    'OpenAI completions, request',
    {
      model: 'gpt',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Where is it?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"parcel"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '{"at":"Bonn"}' },
      ],
    },
    [
      { role: 'system', parts: [{ kind: 'text', text: 'Be kind.' }] },
      user,
      { role: 'assistant', parts: [call] },
      { role: 'tool', parts: [result] },
    ],
  ],
  [
    'OpenAI completions, response',
    { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'In Bonn.', refusal: null } }] },
    [{ role: 'assistant', parts: [answer], finish: 'stop' }],
  ],
  [
    'OpenAI completions, parts with an image',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Where is it?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ],
    [{ role: 'user', parts: [...user.parts, { kind: 'media', mime: 'image', source: 'data:image/png;base64,AA==' }] }],
  ],
  [
    'OpenAI responses, request',
    { instructions: 'Be kind.', input: [{ role: 'user', content: [{ type: 'input_text', text: 'Where is it?' }] }] },
    [{ role: 'system', parts: [{ kind: 'text', text: 'Be kind.' }] }, user],
  ],
  [
    'OpenAI responses, items',
    {
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look it up.' }] },
        { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{"q":"parcel"}' },
        { type: 'function_call_output', call_id: 'c1', output: '{"at":"Bonn"}' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'In Bonn.' }] },
      ],
    },
    [
      { role: 'assistant', parts: [thought, call] },
      { role: 'tool', parts: [result] },
      { role: 'assistant', parts: [answer] },
    ],
  ],
  [
    'Anthropic, request',
    {
      system: [{ type: 'text', text: 'Be kind.' }],
      messages: [
        { role: 'user', content: 'Where is it?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Look it up.', signature: 'x' },
            { type: 'tool_use', id: 'c1', name: 'search', input: { q: 'parcel' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '{"at":"Bonn"}' }] }] },
      ],
    },
    [
      { role: 'system', parts: [{ kind: 'text', text: 'Be kind.' }] },
      user,
      { role: 'assistant', parts: [thought, call] },
      { role: 'user', parts: [result] },
    ],
  ],
  [
    'Anthropic, response',
    { type: 'message', role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: 'In Bonn.' }] },
    [{ role: 'assistant', parts: [answer], finish: 'end_turn' }],
  ],
  [
    'Gemini, request',
    {
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Where is it?' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }] },
        {
          role: 'model',
          parts: [{ text: 'Look it up.', thought: true }, { functionCall: { id: 'c1', name: 'search', args: { q: 'parcel' } } }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', name: '', response: { at: 'Bonn' } } }] },
      ],
    },
    [
      { role: 'system', parts: [{ kind: 'text', text: 'Be kind.' }] },
      { role: 'user', parts: [...user.parts, { kind: 'media', mime: 'image/png', source: 'data:image/png;base64,AA==' }] },
      { role: 'model', parts: [thought, call] },
      { role: 'user', parts: [result] },
    ],
  ],
  [
    'Gemini, response',
    { candidates: [{ finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'In Bonn.' }] } }] },
    [{ role: 'model', parts: [answer], finish: 'STOP' }],
  ],
  [
    'Bedrock',
    {
      messages: [
        { role: 'user', content: [{ text: 'Where is it?' }] },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Look it up.' } } },
            { toolUse: { toolUseId: 'c1', name: 'search', input: { q: 'parcel' } } },
          ],
        },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ json: { at: 'Bonn' } }] } }] },
      ],
    },
    [user, { role: 'assistant', parts: [thought, call] }, { role: 'user', parts: [result] }],
  ],
  [
    'Bedrock, response',
    { output: { message: { role: 'assistant', content: [{ text: 'In Bonn.' }] } }, stopReason: 'end_turn' },
    [{ role: 'assistant', parts: [answer] }],
  ],
  [
    'LangChain, serialized',
    [
      [
        { lc: 1, type: 'constructor', id: ['langchain', 'schema', 'messages', 'HumanMessage'], kwargs: { content: 'Where is it?' } },
        {
          lc: 1,
          type: 'constructor',
          id: ['langchain', 'schema', 'messages', 'AIMessage'],
          kwargs: { content: '', type: 'ai', tool_calls: [{ id: 'c1', name: 'search', args: { q: 'parcel' } }] },
        },
        {
          lc: 1,
          type: 'constructor',
          id: ['langchain', 'schema', 'messages', 'ToolMessage'],
          kwargs: { content: '{"at":"Bonn"}', tool_call_id: 'c1' },
        },
      ],
    ],
    [user, { role: 'assistant', parts: [call] }, { role: 'tool', parts: [result] }],
  ],
  [
    'LangChain, stored',
    {
      messages: [
        { type: 'human', content: 'Where is it?' },
        { type: 'ai', data: { content: 'In Bonn.' } },
      ],
    },
    [user, { role: 'assistant', parts: [answer] }],
  ],
  [
    'LangChain, generations',
    { generations: [[{ text: 'In Bonn.', message: { type: 'ai', content: 'In Bonn.' } }]], llmOutput: {} },
    [{ role: 'assistant', parts: [answer] }],
  ],
  [
    'AI SDK, messages',
    [
      { role: 'user', content: [{ type: 'text', text: 'Where is it?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Look it up.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 'parcel' } },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: '', output: { type: 'json', value: { at: 'Bonn' } } }] },
    ],
    [user, { role: 'assistant', parts: [thought, call] }, { role: 'tool', parts: [result] }],
  ],
  [
    'AI SDK, result',
    {
      text: 'In Bonn.',
      reasoning: 'Look it up.',
      toolCalls: [{ toolCallId: 'c1', toolName: 'search', args: { q: 'parcel' } }],
      finishReason: 'stop',
    },
    [{ role: 'assistant', parts: [thought, answer, call], finish: 'stop' }],
  ],
  [
    'GenAI parts',
    [
      { role: 'user', parts: [{ type: 'text', content: 'Where is it?' }] },
      {
        role: 'assistant',
        finish_reason: 'tool_call',
        parts: [
          { type: 'reasoning', content: 'Look it up.' },
          { type: 'tool_call', id: 'c1', name: 'search', arguments: '{"q":"parcel"}' },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { at: 'Bonn' } }] },
    ],
    [user, { role: 'assistant', finish: 'tool_call', parts: [thought, call] }, { role: 'tool', parts: [result] }],
  ],
]

describe('messages of', () => {
  test.each(fixtures)('%s', (_, value, messages) => expect(chatOf(value)).toEqual(messages))

  test.each([
    ['text', 'hello'],
    ['numbers', [1, 2]],
    ['an empty list', []],
    ['rows', [{ id: 1 }, { id: 2 }]],
    ['a person', { name: 'A', role: 'admin' }],
    ['a query', { input: 'Where?' }],
  ])('%s: none', (_, value) => expect(chatOf(value)).toBeUndefined())

  test('unknown parts are kept beside the known parts of a message', () => {
    const odd = { type: 'hologram', of: 'me' }
    expect(chatOf([{ role: 'user', content: ['a', odd, null] }])).toEqual([
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'a' },
          { kind: 'other', value: odd },
          { kind: 'other', value: null },
        ],
      },
    ])
  })

  test('the conversion never throws for a JSON value', () => {
    const keys = [
      'role',
      'content',
      'parts',
      'messages',
      'type',
      'text',
      'choices',
      'output',
      'input',
      'tool_calls',
      'data',
      'kwargs',
      'id',
    ]
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('text', 'user', 'ai', 'tool_use', 'tool_result', '', 1, null, true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(fc.property(value, given => void chatOf(given)))
  })
})

test('numbers keep their written form', () => {
  const written = '{"id":9007199254740993,"price":1.10,"n":1e400,"ok":5}'
  expect(JSON.stringify(parseExact(written))).toBe(written)
  expect(writeExact(parseExact('"a"'))).toBe('a')
  expect([parseExact('hello'), parseExact('{'), parseExact(' ')]).toEqual([undefined, undefined, undefined])
})

import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!

const text = JSON.stringify
const messages = text([{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }])

describe('2.9 system instructions', () => {
  const instructed = (instructions: string, input = messages) =>
    map({ 'gen_ai.input.messages': input, 'gen_ai.system_instructions': instructions })
  const system = (content: string) => `[{"role":"system","content":${text(content)}},${messages.slice(1)}`

  test.each([
    ['text', 'be brief', 'be brief'],
    ['a list of parts, joined by newlines', text([{ type: 'text', content: 'a' }, { content: 'b' }]), 'a\nb'],
    ['a JSON text', '"quoted"', 'quoted'],
    ['a JSON number', '42', '42'],
  ])('2.9 %s', (_, instructions, content) => {
    const row = instructed(instructions)
    expect(row['input']).toBe(system(content))
    expect(row.metadata['attributes.gen_ai.system_instructions']).toBeUndefined()
  })

  test.each(['null', 'undefined', text([{ type: 'text', content: null }]), '[]'])('2.9 %s count as no instructions', instructions => {
    expect(instructed(instructions)['input']).toBe(messages)
  })
  test('2.9 a part without content adds nothing', () => {
    expect(
      instructed(
        text([
          { type: 'text', content: null },
          { type: 'text', content: 'b' },
        ]),
      )['input'],
    ).toBe(system('b'))
  })

  test.each([
    ['a message has role system', text([{ role: 'system', content: 'x' }])],
    ['the input is no list', '{"role":"user"}'],
    ['the input is a list of texts', '["hi"]'],
    ['the input is no JSON', 'hi'],
  ])('2.9 not put in front where %s: they stay in the metadata', (_, input) => {
    const row = instructed('be brief', input)
    expect(row['input']).toBe(input)
    expect(row.metadata['attributes.gen_ai.system_instructions']).toBe('be brief')
  })

  test('2.9 an empty list receives the instructions', () => {
    expect(instructed('be brief', '[]')['input']).toBe('[{"role":"system","content":"be brief"}]')
  })
})

describe('2.9 nested rebuild', () => {
  const rebuilt = (values: Values) => map(Object.fromEntries(Object.entries(values).map(([key, value]) => [`gen_ai.prompt.${key}`, value])))

  test.each<[string, Values, unknown]>([
    ['index order, gaps are null', { '3': 'd', '0': 'a' }, ['a', null, null, 'd']],
    [
      'indexes as numbers',
      { '10': 'k', '9': 'j', ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [String(i), i])) },
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 'j', 'k'],
    ],
    ['a name among indexes makes an object', { '0': 'a', x: 'b' }, { '0': 'a', x: 'b' }],
    ['nested lists', { '0.parts.1.text': 'b', '0.parts.0.text': 'a' }, [{ parts: [{ text: 'a' }, { text: 'b' }] }]],
    ['lists and maps as values', { '0.tags': ['x', 'y'] }, [{ tags: ['x', 'y'] }]],
    ['an empty segment', { '': 'a' }, { '': 'a' }],
    ['an index with a leading zero is a name', { '01': 'a' }, { '01': 'a' }],
  ])('2.9 rebuild: %s', (_, values, expected) => {
    expect(JSON.parse(String(rebuilt(values)['input']))).toEqual(expected)
  })

  test.each(['__proto__', 'constructor', 'prototype'])('2.9 rebuild: skips %s, which stays in the metadata', name => {
    const row = rebuilt({ '0.content': 'a', [`0.${name}.x`]: 'b' })
    expect(row['input']).toBe('[{"content":"a"}]')
    expect(row.metadata).toMatchObject({ [`attributes.gen_ai.prompt.0.${name}.x`]: 'b' })
  })

  test('Appendix G: a key that is the prefix of another keeps its value, and the longer key stays in the metadata', () => {
    const row = rebuilt({ '0.content.text': 'b', '0.content': 'a', '0.contents': 'c' })
    expect(row['input']).toBe('[{"content":"a","contents":"c"}]')
    expect(row.metadata).toMatchObject({ 'attributes.gen_ai.prompt.0.content.text': 'b' })
  })

  test('2.9 rebuild: fills 10,001 slots per prefix, and further parts stay in the metadata', () => {
    const last = JSON.parse(String(rebuilt({ '10000': 'z' })['input'])) as unknown[]
    expect([last.length, last[10_000]]).toEqual([10_001, 'z'])
    const row = rebuilt({ '0': 'a', '10001': 'z' })
    expect(row['input']).toBe('["a"]')
    expect(row.metadata).toMatchObject({ 'attributes.gen_ai.prompt.10001': 'z' })
  })

  test('2.9 rebuild: dropping a name does not turn its object into a list of arbitrary length', () => {
    const row = rebuilt({ '99999999999.a': 'x', 'role.10001': 'dropped' })
    expect(row['input']).toBe('{"99999999999":{"a":"x"}}')
    expect(row.metadata).toMatchObject({ 'attributes.gen_ai.prompt.role.10001': 'dropped' })
  })

  test('2.9 rebuild: the growth of a list is counted once', () => {
    const values = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i}.a`, i]))
    expect((JSON.parse(String(rebuilt(values)['input'])) as unknown[]).length).toBe(5000)
  })
})

describe('2.9 keys removed from metadata.attributes', () => {
  const removed = [
    ...['svc.trace.input', 'svc.trace.output', 'svc.observation.input', 'svc.observation.output'],
    ...['ai.prompt.messages', 'ai.prompt', 'ai.toolCall.args', 'ai.response.text', 'ai.result.text', 'ai.toolCall.result'],
    ...['ai.response.object', 'ai.result.object', 'ai.response.toolCalls', 'ai.result.toolCalls'],
    ...[
      'gcp.vertex.agent.llm_request',
      'gcp.vertex.agent.tool_call_args',
      'gcp.vertex.agent.llm_response',
      'gcp.vertex.agent.tool_response',
    ],
    ...['prompt', 'all_messages_events', 'events', 'lk.input_text', 'lk.user_transcript', 'lk.chat_ctx', 'lk.user_input'],
    ...['lk.function_tool.output', 'lk.response.text', 'mlflow.spanInputs', 'mlflow.spanOutputs'],
    ...['traceloop.entity.input', 'traceloop.entity.output', 'input.value', 'output.value', 'final_result', 'pydantic_ai.all_messages'],
    ...['gen_ai.system_instructions', 'input', 'output', 'gen_ai.input.messages', 'gen_ai.output.messages'],
    ...['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result', 'genkit:input', 'genkit:output'],
    ...['flue.turn.input', 'flue.tool.arguments', 'flue.task.prompt', 'flue.workflow.payload', 'flue.turn.output', 'flue.tool.result'],
    ...['flue.task.result', 'flue.operation.result', 'flue.workflow.result'],
    ...['gen_ai.prompt.0.content', 'gen_ai.completion.0.content', 'llm.input_messages.0.x', 'llm.output_messages.0.x'],
    ...['gen_ai.prompt', 'gen_ai.completion', 'llm.input_messages', 'llm.output_messages'],
    ...['ai.telemetry.metadata.userId', 'ai.telemetry.metadata.sessionId', 'ai.telemetry.metadata.tags'],
  ]
  test.each(removed)('2.9 removed: %s', key => {
    const row = map({ [key]: '[]', 'svc.observation.input': 'decides' })
    expect(Object.keys(row.metadata).filter(name => name.startsWith('attributes.'))).toEqual([])
  })

  test.each(['tool_arguments', 'tool_response', 'gen_ai.promptly', 'model_config', 'gen_ai.request.model'])('2.9 stays: %s', key => {
    expect(map({ [key]: '[]', 'svc.observation.input': 'decides' }).metadata).toEqual({ [`attributes.${key}`]: '[]' })
  })
})

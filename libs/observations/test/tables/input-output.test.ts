import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { event, explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const scope = (name: string): Facts => ({ scope: { name } })
const later = { 'gen_ai.input.messages': 'later', 'gen_ai.output.messages': 'later' }

type Case = readonly [row: string, values: Values, facts: Facts, input: string, output: string]

const pairs = (row: string, inputs: readonly string[], outputs: readonly string[], facts: Facts = {}): readonly Case[] => [
  ...inputs.map((key, i): Case => {
    const values = { ...Object.fromEntries(inputs.slice(i).map((each, at) => [each, `in-${i + at}`])), ...later }
    return [`${row}: ${key}`, values, facts, `in-${i}`, 'later']
  }),
  ...outputs.map((key, i): Case => {
    const values = { ...Object.fromEntries(outputs.slice(i).map((each, at) => [each, `out-${i + at}`])), ...later }
    return [`${row}: ${key}`, values, facts, 'later', `out-${i}`]
  }),
]

const text = JSON.stringify
const messages = text([{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }])

describe('2.9 input and output', () => {
  test.each<Case>([
    ...pairs('row 1', ['svc.observation.input'], ['svc.observation.output']),
    ['row 1: an empty text is an answer', { 'svc.observation.input': '', ...later }, {}, '', 'later'],

    ['row 2: genkit', { 'genkit:input': '{"a":1}', 'genkit:output': '{"b":2}', ...later }, scope('genkit-tracer'), '{"a":1}', '{"b":2}'],
    [
      'row 2: .messages and .message',
      { 'genkit:input': '{"messages":[{"role":"user"}],"config":{}}', 'genkit:output': '{"message":{"role":"model"}}' },
      scope('genkit-tracer'),
      '[{"role":"user"}]',
      '{"role":"model"}',
    ],
    [
      'row 2: a JSON text is a text',
      { 'genkit:input': '"question"', 'genkit:output': 'no json' },
      scope('genkit-tracer'),
      'question',
      'no json',
    ],
    ['row 2: the next row applies without an attribute of this row', later, scope('genkit-tracer'), 'later', 'later'],
    ['row 2: only in its scope', { 'genkit:input': '{"a":1}' }, {}, '', ''],

    ['row 3: ai.prompt.messages', { 'ai.prompt.messages': 'm', 'ai.prompt': 'p' }, scope('ai'), 'm', ''],
    ['row 3: ai.prompt', { 'ai.prompt': 'p', 'ai.toolCall.args': 'a' }, scope('ai'), 'p', ''],
    ['row 3: ai.toolCall.args', { 'ai.toolCall.args': 'a', 'gen_ai.input.messages': 'm' }, scope('ai'), 'a', ''],
    ['row 3: the next attribute applies if one is empty', { 'ai.prompt.messages': '', 'ai.prompt': 'p' }, scope('ai'), 'p', ''],
    ['row 3: else the GenAI messages', later, scope('ai'), 'later', 'later'],
    ['row 3: each side for itself', { 'ai.prompt': 'p', ...later }, scope('ai'), 'p', 'later'],
    [
      'row 3: text and tool calls',
      { 'ai.response.text': 'so "it" is', 'ai.response.toolCalls': '[{"toolName":"t"}]' },
      scope('ai'),
      '',
      '{"role":"assistant","content":"so \\"it\\" is","tool_calls":[{"toolName":"t"}]}',
    ],
    [
      'row 3: tool calls that are not JSON',
      { 'ai.result.text': 't', 'ai.result.toolCalls': '[' },
      scope('ai'),
      '',
      '{"role":"assistant","content":"t","tool_calls":"["}',
    ],
    ['row 3: ai.response.text', { 'ai.response.text': 'a', 'ai.result.text': 'b' }, scope('ai'), '', 'a'],
    ['row 3: ai.result.text', { 'ai.response.text': '', 'ai.result.text': 'b', 'ai.toolCall.result': 'c' }, scope('ai'), '', 'b'],
    ...['ai.toolCall.result', 'ai.response.object', 'ai.result.object', 'ai.response.toolCalls', 'ai.result.toolCalls'].map(
      (key, i, keys): Case => [
        `row 3: ${key}`,
        Object.fromEntries(keys.slice(i).map(each => [each, `${each}!`])),
        scope('ai'),
        '',
        `${key}!`,
      ],
    ),
    ['row 3: the next row applies without an attribute of this row', { 'input.value': 'later' }, scope('ai'), 'later', ''],

    ...pairs(
      'row 4',
      ['flue.turn.input', 'flue.tool.arguments', 'flue.task.prompt', 'flue.workflow.payload'],
      ['flue.turn.output', 'flue.tool.result', 'flue.task.result', 'flue.operation.result', 'flue.workflow.result'],
      scope('@flue/opentelemetry'),
    ),
    ['row 4: only in its scope', { 'flue.turn.input': 'x', ...later }, {}, 'later', 'later'],

    ...pairs(
      'row 8',
      ['gcp.vertex.agent.llm_request', 'gcp.vertex.agent.tool_call_args'],
      ['gcp.vertex.agent.llm_response', 'gcp.vertex.agent.tool_response'],
    ),
    [
      'row 8: {} is empty',
      {
        'gcp.vertex.agent.llm_request': '{}',
        'gcp.vertex.agent.tool_call_args': 'args',
        'gcp.vertex.agent.llm_response': '{}',
        'gcp.vertex.agent.tool_response': 'answer',
      },
      {},
      'args',
      'answer',
    ],
    ['row 8: the next row applies if the object is empty', { 'gcp.vertex.agent.llm_request': '{}', ...later }, {}, 'later', 'later'],
    ...pairs('row 9', ['prompt'], ['all_messages_events']),
    ...pairs('row 10', ['lk.input_text', 'lk.user_transcript', 'lk.chat_ctx'], ['lk.function_tool.output', 'lk.response.text']),
    [
      'row 10: the next attribute applies if one is empty',
      { 'lk.input_text': '', 'lk.user_transcript': 'x', 'lk.response.text': 'r' },
      {},
      'x',
      'r',
    ],
    ...pairs(
      'row 10, since 1.7',
      ['lk.pii.input_text', 'lk.input_text', 'lk.pii.chat_ctx', 'lk.pii.user_input'],
      ['lk.pii.function_tool.output', 'lk.pii.response.text'],
    ),
    [
      'row 11: events',
      { events: '[{"event.name":"gen_ai.user.message","content":"q"},null,{"event.name":"gen_ai.choice","message":"a"}]', ...later },
      {},
      '[{"event.name":"gen_ai.user.message","content":"q"}]',
      '{"event.name":"gen_ai.choice","message":"a"}',
    ],
    ['row 11: the next row applies if the JSON is not a list', { events: '{"a":1}', ...later }, {}, 'later', 'later'],
    [
      'row 11: a list of JSON texts',
      { events: ['{"event.name":"gen_ai.choice"}', '{"q":1}'] },
      {},
      '[{"q":1}]',
      '{"event.name":"gen_ai.choice"}',
    ],
    ...pairs('row 12', ['mlflow.spanInputs'], ['mlflow.spanOutputs']),
    ...pairs('row 13', ['traceloop.entity.input'], ['traceloop.entity.output']),
    ...pairs('row 14', ['input.value'], ['output.value']),
    ...pairs('row 15', ['input'], ['output']),
    ...pairs('row 16', ['pydantic_ai.all_messages'], ['final_result'], scope('pydantic-ai')),
    [
      'row 16: system instructions',
      { 'pydantic_ai.all_messages': messages, 'gen_ai.system_instructions': 'be brief' },
      scope('pydantic-ai'),
      `[{"role":"system","content":"be brief"},${messages.slice(1)}`,
      '',
    ],
    ['row 16: only in its scope', { 'pydantic_ai.all_messages': 'x', ...later }, {}, 'later', 'later'],
    ...pairs('row 17', ['tool_arguments'], ['tool_response']),
    [
      'row 18: nested rebuild',
      {
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'q',
        'gen_ai.completion.0.content': 'a',
        'gen_ai.completion.0.finish.n': 3,
        ...later,
      },
      {},
      '[{"content":"q","role":"user"}]',
      '[{"content":"a","finish":{"n":3}}]',
    ],
    ['row 18: {} when there is none', { 'gen_ai.prompt.0.content': 'q' }, {}, '[{"content":"q"}]', '{}'],
    [
      'row 18: the exact key wins',
      { 'gen_ai.prompt': 'whole', 'gen_ai.prompt.0.content': 'part', 'gen_ai.completion': '' },
      {},
      'whole',
      '{}',
    ],
    [
      'row 19: nested rebuild',
      {
        'llm.input_messages.1.message.content': 'b',
        'llm.input_messages.0.message.content': 'a',
        'llm.output_messages.0.message.role': 'assistant',
      },
      {},
      '[{"message":{"content":"a"}},{"message":{"content":"b"}}]',
      '[{"message":{"role":"assistant"}}]',
    ],
    ['row 19: {} when there is none', { 'llm.output_messages.0.x': 1 }, {}, '{}', '[{"x":1}]'],
    [
      'row 20: gen_ai.input.messages, gen_ai.output.messages',
      { 'gen_ai.input.messages': messages, 'gen_ai.output.messages': '[]' },
      {},
      messages,
      '[]',
    ],
    ['row 20: a tool’s', { 'gen_ai.tool.call.arguments': '{"a":1}', 'gen_ai.tool.call.result': 'r' }, {}, '{"a":1}', 'r'],
    ['row 20: arguments only without any messages', { 'gen_ai.tool.call.arguments': 'a', 'gen_ai.output.messages': 'o' }, {}, '', 'o'],
    ['none', {}, {}, '', ''],
  ])('2.9 %s', (_, values, facts, input, output) => {
    expect(map(values, facts)).toMatchObject({ input, output })
  })
})

describe('2.9 span events', () => {
  const withEvents = (values: Values, ...events: ReturnType<typeof event>[]) => map({ ...later, ...values }, { span: { events } })

  test('2.9 row 5: details', () => {
    const details = event('gen_ai.client.inference.operation.details', {
      'gen_ai.input.messages': messages,
      'gen_ai.output.messages': 'out',
      'gen_ai.system_instructions': text([
        { type: 'text', content: 'a' },
        { type: 'text', content: 'b' },
      ]),
    })
    expect(withEvents({}, event('exception'), details)).toMatchObject({
      input: `[{"role":"system","content":"a\\nb"},${messages.slice(1)}`,
      output: 'out',
    })
  })

  test('2.9 row 5: details without content leave the decision to the next rule', () => {
    expect(withEvents({}, event('gen_ai.client.inference.operation.details', { x: 1 }))).toMatchObject({ input: 'later', output: 'later' })
  })

  test('2.9 row 6: messages and one choice', () => {
    const row = withEvents(
      {},
      event('gen_ai.system.message', { content: 's' }),
      event('gen_ai.user.message', { content: 'u "q"', n: 1 }),
      event('gen_ai.assistant.message', { content: 'a', role: 'model' }),
      event('gen_ai.tool.message', {}),
      event('gen_ai.choice', { index: 0, message: 'm' }),
    )
    expect(row).toMatchObject({
      input: '[{"role":"system","content":"s"},{"role":"user","content":"u \\"q\\"","n":1},{"content":"a","role":"model"},{"role":"tool"}]',
      output: '{"index":0,"message":"m"}',
    })
  })

  test('2.9 row 6: several choices become a list, and a choice without attributes leaves the decision to the next rule', () => {
    expect(withEvents({}, event('gen_ai.choice', { index: 0 }), event('gen_ai.choice'))).toMatchObject({
      input: 'later',
      output: '[{"index":0},{}]',
    })
    expect(withEvents({}, event('gen_ai.choice'))).toMatchObject({ input: 'later', output: 'later' })
  })

  test('2.9 row 7: reads the first Semantic Kernel event by the rules of this table', () => {
    const row = withEvents(
      {},
      event('gen_ai.content.prompt', { 'gen_ai.prompt': '[{"role":"user"}]' }),
      event('gen_ai.content.prompt', { 'gen_ai.prompt': 'second' }),
      event('gen_ai.content.completion', { 'gen_ai.completion': '[{"role":"assistant"}]' }),
    )
    expect(row).toMatchObject({ input: '[{"role":"user"}]', output: '[{"role":"assistant"}]' })
  })

  test('2.9 row 7: keeps an event’s attributes as an object when no rule knows them, and reads span attributes without an event', () => {
    expect(withEvents({}, event('gen_ai.content.prompt', { own: 1 }))).toMatchObject({ input: '{"own":1}', output: 'later' })
  })
  test('2.15 an event that is empty or has other content does not end the search', () => {
    const details = (values: Values) => event('gen_ai.client.inference.operation.details', values)
    expect(
      withEvents({}, details({}), details({ 'gen_ai.input.messages': messages }), details({ 'gen_ai.output.messages': 'out' })),
    ).toMatchObject({
      input: messages,
      output: 'out',
    })
    const prompts = [event('gen_ai.content.prompt'), event('gen_ai.content.prompt', { 'gen_ai.prompt': 'second' })]
    expect(withEvents({}, ...prompts)).toMatchObject({ input: 'second', output: 'later' })
  })

  test('2.9 unknown events have no effect', () => {
    expect(withEvents({}, event('exception', { 'exception.message': 'x' }))).toMatchObject({ input: 'later', output: 'later' })
  })
})

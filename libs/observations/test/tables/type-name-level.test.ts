import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const span = (name: string) => ({ span: { name } })

describe('2.2 observation type', () => {
  const python = (version: string | undefined, language = 'python', name = 'svc-sdk'): Facts => ({
    scope: { name, ...(version === undefined ? {} : { version }) },
    resource: { 'telemetry.sdk.language': language },
  })
  const generation = { 'svc.observation.type': 'span', 'svc.observation.model.name': 'm' }
  const livekit = (name: string): Facts => ({ scope: { name: 'livekit-agents' }, ...span(name) })
  const vercel = (operation: string) => ({ 'ai.operationId': operation, 'operation.name': `${operation} fn` })

  test.each<[row: string, values: Values, facts: Facts, type: string]>([
    ['row 0: Python SDK 3.3', generation, python('3.3.9'), 'GENERATION'],
    ['row 0: Python SDK 2.60', generation, python('2.60.10'), 'GENERATION'],
    ['row 0: version absent', generation, python(undefined), 'GENERATION'],
    ['row 0: version no number', generation, python('dev'), 'GENERATION'],
    ['row 0: Python SDK 3.4 is believed', generation, python('3.4.0'), 'SPAN'],
    ['row 0: another language is believed', generation, python('3.3.0', 'nodejs'), 'SPAN'],
    ['row 0: another scope is believed', generation, python('3.3.0', 'python', 'svc-sdk-x'), 'SPAN'],
    ['row 0: without such a key', { 'svc.observation.type': 'span' }, python('3.3.0'), 'SPAN'],
    ...(['cost_details', 'usage_details', 'completion_start_time', 'model.parameters', 'prompt.name', 'prompt.version'] as const).map(
      (key): [string, Values, Facts, string] => [
        `row 0: svc.observation.${key} exists, be it empty`,
        { 'svc.observation.type': 'span', [`svc.observation.${key}`]: '' },
        python('3.0.0'),
        'GENERATION',
      ],
    ),
    ...['span', 'generation', 'event', 'embedding', 'agent', 'tool', 'chain', 'retriever', 'guardrail', 'evaluator'].map(
      (type): [string, Values, Facts, string] => [
        `row 1: ${type}`,
        { 'svc.observation.type': type, 'openinference.span.kind': 'LLM' },
        {},
        type.toUpperCase(),
      ],
    ),
    ['row 1: upper case is not in its table', { 'svc.observation.type': 'GENERATION' }, {}, 'SPAN'],
    ...['CHAIN', 'RETRIEVER', 'EMBEDDING', 'AGENT', 'TOOL', 'GUARDRAIL', 'EVALUATOR'].map((kind): [string, Values, Facts, string] => [
      `row 2: ${kind}`,
      { 'openinference.span.kind': kind },
      {},
      kind,
    ]),
    ['row 2: LLM', { 'openinference.span.kind': 'LLM' }, {}, 'GENERATION'],
    [
      'row 2: the next row applies if the kind is unknown',
      { 'openinference.span.kind': 'PROMPT', 'gen_ai.operation.name': 'embeddings' },
      {},
      'EMBEDDING',
    ],
    ['row 2: RERANKER', { 'openinference.span.kind': 'RERANKER' }, {}, 'RETRIEVER'],
    ...(
      [
        ['chat', 'GENERATION'],
        ['retrieval', 'RETRIEVER'],
        ['invoke_workflow', 'CHAIN'],
        ['completion', 'GENERATION'],
        ['text_completion', 'GENERATION'],
        ['generate_content', 'GENERATION'],
        ['generate', 'GENERATION'],
        ['embeddings', 'EMBEDDING'],
        ['invoke_agent', 'AGENT'],
        ['create_agent', 'AGENT'],
        ['execute_tool', 'TOOL'],
      ] as const
    ).map(([operation, type]): [string, Values, Facts, string] => [
      `row 3: ${operation}`,
      { 'gen_ai.operation.name': operation },
      {},
      type,
    ]),
    ...(
      [
        ['model', 'GENERATION'],
        ['background-model', 'GENERATION'],
        ['embedder', 'EMBEDDING'],
        ['tool', 'TOOL'],
        ['tool.v2', 'TOOL'],
        ['retriever', 'RETRIEVER'],
        ['evaluator', 'EVALUATOR'],
      ] as const
    ).map(([subtype, type]): [string, Values, Facts, string] => [`row 4: ${subtype}`, { 'genkit:metadata:subtype': subtype }, {}, type]),
    ...(
      [
        ['ai.generateText.doGenerate', 'GENERATION'],
        ['ai.streamText.doStream', 'GENERATION'],
        ['ai.generateObject.doGenerate', 'GENERATION'],
        ['ai.streamObject.doStream', 'GENERATION'],
        ['ai.embedMany.doEmbed', 'EMBEDDING'],
        ['ai.embed.doEmbed', 'EMBEDDING'],
      ] as const
    ).flatMap(([operation, type]): [string, Values, Facts, string][] => [
      [`row 5: ${operation} as ai.operationId`, { 'ai.operationId': operation, 'ai.model.id': 'm' }, {}, type],
      [
        `row 5: ${operation} with the function in operation.name`,
        { 'operation.name': `${operation} fn`, 'gen_ai.request.model': 'm' },
        {},
        type,
      ],
    ]),
    ['row 5: ai.operationId has to be equal', { 'ai.operationId': 'ai.embed.doEmbed fn', 'ai.model.id': 'm' }, {}, 'SPAN'],
    ['row 5: without model info', vercel('ai.generateText.doGenerate'), {}, 'SPAN'],
    ['row 5: an operation that is not a text', { 'operation.name': 5, 'ai.operationId': true, 'ai.model.id': 'm' }, {}, 'SPAN'],
    ['row 6: ai.toolCall', vercel('ai.toolCall'), {}, 'TOOL'],
    ['row 6: others go on', { ...vercel('ai.generateText'), model: 'm' }, {}, 'GENERATION'],
    ['row 7: gen_ai.tool.name', { 'gen_ai.tool.name': 't' }, {}, 'TOOL'],
    ['row 7: gen_ai.tool.call.id', { 'gen_ai.tool.call.id': 'c', model: 'm' }, {}, 'TOOL'],
    ['row 7: empty is not present', { 'gen_ai.tool.name': '' }, {}, 'SPAN'],
    ['row 8: flue.tool.name', { 'flue.tool.name': 't', 'flue.task.id': 'i' }, {}, 'TOOL'],
    ['row 8: flue.tool.call_id', { 'flue.tool.call_id': 't' }, {}, 'TOOL'],
    ['row 8: flue.task.id', { 'flue.task.id': 'i' }, {}, 'AGENT'],
    ['row 8: flue.task.agent', { 'flue.task.agent': 'a' }, {}, 'AGENT'],
    ['row 9: agent_turn', {}, livekit('agent_turn'), 'AGENT'],
    ['row 9: start_agent_activity', {}, livekit('start_agent_activity'), 'AGENT'],
    ['row 9: function_tool', {}, livekit('function_tool'), 'TOOL'],
    ['row 9: other names', {}, livekit('llm_node'), 'SPAN'],
    ['row 9: other scopes', {}, span('function_tool'), 'SPAN'],
    ...['svc.observation.model.name', 'gen_ai.request.model', 'gen_ai.response.model', 'llm.model_name', 'model'].map(
      (key): [string, Values, Facts, string] => [`row 10: ${key}`, { [key]: 'm' }, {}, 'GENERATION'],
    ),
    ['row 10: an empty list is not present', { model: [] }, {}, 'SPAN'],
    ['default', {}, {}, 'SPAN'],
    [
      'names of object built-ins are words like any other',
      {
        'svc.observation.type': 'constructor',
        'openinference.span.kind': 'toString',
        'gen_ai.operation.name': '__proto__',
        'genkit:metadata:subtype': 'valueOf',
      },
      {},
      'SPAN',
    ],
  ])('2.2 %s', (_, values, facts, type) => {
    expect(map(values, facts)['type']).toBe(type)
  })
})

describe('2.3 name', () => {
  test.each<[row: string, values: Values, name: string]>([
    ['row 1: gen_ai.tool.name', { 'gen_ai.tool.name': 'search', 'genkit:name': 'g' }, 'search'],
    ['row 1: the next row applies if the name is empty', { 'gen_ai.tool.name': '', 'logfire.msg': 'm' }, 'm'],
    ['row 2: genkit:name', { 'genkit:name': 'g', 'logfire.msg': 'm' }, 'g'],
    ['row 2: genkit:name, empty', { 'genkit:name': '', 'logfire.msg': 'm' }, ''],
    ['row 3: logfire.msg', { 'logfire.msg': 'm', 'ai.toolCall.name': 't' }, 'm'],
    ['row 4: ai.toolCall.name', { 'ai.toolCall.name': 't', 'ai.operationId': 'ai.toolCall' }, 't'],
    ['row 4: ai.toolCall.name, empty', { 'ai.toolCall.name': '', 'ai.operationId': 'ai.toolCall' }, ''],
    ['row 5: ai.operationId', { 'ai.operationId': 'ai.generateText' }, 'ai.generateText'],
    ['row 5: with the function', { 'ai.operationId': 'ai.generateText', 'ai.telemetry.functionId': 'plan' }, 'plan:ai.generateText'],
    ['row 5: with an empty function', { 'ai.operationId': 'ai.generateText', 'ai.telemetry.functionId': '' }, 'ai.generateText'],
    ['row 6: the span’s name', {}, 'a span'],
    ['what is no text is JSON', { 'logfire.msg': ['a', '"'] }, '["a","\\""]'],
  ])('2.3 %s', (_, values, name) => {
    expect(map(values)['name']).toBe(name)
  })

  test('2.3 row 6: a missing name is empty', () => {
    expect(map({}, span(''))['name']).toBe('')
  })
})

describe('2.4 level and status message', () => {
  const level = (values: Values, code = 0, facts: Facts = {}) =>
    map(values, { ...facts, span: { ...facts?.span, status: { code } } })['level']

  test.each([
    ...['DEBUG', 'TRACE', 'VERBOSE'].map(word => [word, 'DEBUG'] as const),
    ...['DEFAULT', 'INFO', 'LOG', 'NOTICE', 'OK', 'SUCCESS'].map(word => [word, 'DEFAULT'] as const),
    ...['WARNING', 'WARN'].map(word => [word, 'WARNING'] as const),
    ...['ERROR', 'FATAL', 'CRITICAL'].map(word => [word, 'ERROR'] as const),
  ])('2.4 %s is %s, in any case and with space around', (word, expected) => {
    expect(level({ 'svc.observation.level': ` ${word.toLowerCase()}\n` }, 2)).toBe(expected)
  })

  test.each<[string, Values, number, string]>([
    ['anything else falls back', { 'svc.observation.level': '[x]' }, 2, 'ERROR'],
    ['no text falls back', { 'svc.observation.level': 3 }, 0, 'DEFAULT'],
    ['status code 2', {}, 2, 'ERROR'],
    ['status code 1', {}, 1, 'DEFAULT'],
    ['none', {}, 0, 'DEFAULT'],
  ])('2.4 fallback: %s', (_, values, code, expected) => {
    expect(level(values, code)).toBe(expected)
  })

  test.each([
    'user_speaking',
    'eou_detection',
    'llm_request_run',
    'tts_node',
    'tts_request',
    'tts_request_run',
    'tts_stream_adapter',
    'agent_speaking',
    'drain_agent_activity',
    'on_exit',
    'on_enter',
    'llm_fallback_adapter',
    'tts_fallback_adapter',
    'start_agent_activity',
  ])('2.4 LiveKit %s is DEBUG, unless it failed', name => {
    const scope = { name: 'livekit-agents' }
    expect(level({}, 0, { scope, span: { name } })).toBe('DEBUG')
    expect(level({}, 2, { scope, span: { name } })).toBe('ERROR')
    expect(level({}, 0, { span: { name } })).toBe('DEFAULT')
  })

  test('2.4 status message: reads the SDK’s, else the span’s', () => {
    const status = { status: { code: 2, message: 'of the span' } }
    expect(map({ 'svc.observation.status_message': 'own' }, { span: status })['status_message']).toBe('own')
    expect(map({}, { span: status })['status_message']).toBe('of the span')
    expect(map({})['status_message']).toBe('')
  })
})

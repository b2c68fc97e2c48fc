// Handmade spans for every family of rules. They have data that no recorded client sent.
import type { Span } from '@svc-server/testkit'
import type { Facts, Values } from '../tables/explained.ts'

const json = JSON.stringify
const scope = (name: string, version = '1.0.0'): Facts => ({ scope: { name, version } })
const span = (fields: Partial<Span>): Facts => ({ span: fields })

const generation: Values = { 'svc.observation.type': 'generation', 'svc.observation.model.name': 'gpt-5' }
const messages = json([{ role: 'user', content: 'hi' }])

export const goldenCases: Readonly<Record<string, readonly [values: Values, facts?: Facts]>> = {
  nothing: [{}],
  trace: [
    {
      'svc.trace.name': 'trace',
      'svc.user.id': 'u',
      'session.id': 's',
      'svc.trace.tags': '["b","a"]',
      'svc.trace.public': true,
      'svc.version': '1',
      'svc.release': 'r',
      'svc.environment': 'SVC-Prod',
      'svc.internal.is_app_root': 'true',
    },
    { resource: { 'service.name': 'shop', 'service.version': '2', 'telemetry.sdk.language': 'nodejs' } },
  ],
  'level and prompt': [
    { ...generation, 'svc.observation.level': 'warn', 'svc.observation.prompt.name': 'p', 'svc.observation.prompt.version': '3abc' },
    span({ status: { code: 2, message: 'failed' } }),
  ],
  'parameters of the SDK': [{ ...generation, 'svc.observation.model.parameters': '{"t":0.5,"b":true,"n":null}' }],
  'parameters of the request': [{ 'gen_ai.request.model': 'm', 'gen_ai.request.top_k': 3, 'llm.invocation_parameters.top_k': 4 }],
  'settings of the Vercel AI SDK': [{ 'ai.settings.maxRetries': 2, 'ai.prompt.toolChoice': 'null' }, scope('ai')],
  'usage of the SDK': [{ ...generation, 'svc.observation.usage_details': '{"input":1,"custom":"2"}' }],
  'usage of OpenAI': [
    {
      'svc.observation.usage_details': json({
        prompt_tokens: 9,
        completion_tokens: 5,
        total_tokens: 14,
        prompt_tokens_details: { cached_tokens: 4 },
      }),
    },
  ],
  'usage with parts': [
    {
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 40,
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.reasoning_tokens': 10,
      'gen_ai.usage.details.other': 3,
    },
  ],
  'usage of an outer span': [
    { 'ai.operationId': 'ai.generateText', 'ai.response.providerMetadata': json({ anthropic: { usage: { cache_read_input_tokens: 5 } } }) },
    scope('ai'),
  ],
  'usage of its inner span': [
    {
      'ai.operationId': 'ai.generateText.doGenerate',
      'gen_ai.usage.input_tokens': 10,
      'ai.response.providerMetadata': json({ anthropic: { usage: { cache_read_input_tokens: 5 } } }),
    },
    scope('ai'),
  ],
  'cached tokens alone': [
    { 'gcp.vertex.agent.llm_response': json({ usage_metadata: { cached_content_token_count: 30 } }) },
    scope('gcp.vertex.agent'),
  ],
  'one cost': [{ 'svc.observation.cost_details': '{"input":0.25}' }],
  'three costs': [{ 'svc.observation.cost_details': '{"input":0.25,"output":0.5,"search":0.01}' }],
  'a total cost': [{ 'gen_ai.usage.cost': 0.75 }],
  messages: [{ 'gen_ai.input.messages': messages, 'gen_ai.output.messages': messages, 'gen_ai.system_instructions': 'be brief' }],
  'messages in keys': [{ 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'hi', 'llm.output_messages.0.message.role': 'x' }],
  genkit: [
    { 'genkit:input': '{"messages":[1],"config":{"t":1}}', 'genkit:output': '{"usage":{"thoughtsTokens":3}}' },
    scope('genkit-tracer'),
  ],
  'tools that have only a name': [
    {
      'gen_ai.tool.definitions': '[{"name":"a"}]',
      model_request_parameters: '{"function_tools":[{"name":"b"}],"output_mode":"text"}',
      'input.value': 'hi',
    },
  ],
  'calls and an answer': [
    {
      'svc.observation.output': json([
        { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Oslo' } },
        { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: 'sunny' },
      ]),
    },
  ],
  metadata: [
    { 'svc.observation.metadata': '{"a":{"b":1.50},"l":[1],"n":null}', 'svc.trace.metadata.t': 'x', other: true, list: ['a', 'b'] },
    scope('svc-sdk', '4.0.0'),
  ],
  'dropped counts': [
    {},
    {
      ...span({
        droppedAttributesCount: 1,
        droppedEventsCount: 2,
        droppedLinksCount: 3,
        events: [{ name: 'e', droppedAttributesCount: 4 }],
      }),
      scope: { name: 's', droppedAttributesCount: 5 },
    },
  ],
  experiment: [
    {
      'svc.experiment.id': 'e',
      'svc.experiment.item.id': 'i',
      'svc.experiment.item.version': '2026-11-21T12:00:00Z',
      'svc.experiment.metadata': '{"a":1}',
      'svc.experiment.item.metadata.deep.x': '1',
    },
  ],
}

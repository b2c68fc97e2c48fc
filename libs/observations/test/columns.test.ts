import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aSpan, endNano, type Mapping, openMapping, requestOf } from './mapped-rows.ts'

let mapping: Mapping
beforeAll(async () => {
  mapping = await openMapping()
})
afterAll(() => mapping.close())

const row: Mapping['row'] = (...args) => mapping.row(...args)
const map = (values: Parameters<typeof requestOf>[0], facts?: Parameters<typeof requestOf>[1]) => row(requestOf(values, facts))

describe('identity and times', () => {
  test('writes ids in lowercase hex, times to the microsecond, provenance and append time', () => {
    expect(map({}, { span: { parentSpanId: 'ABCDEF0123456789' } })).toMatchObject({
      project_id: 'project-1',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      span_id: 'b7ad6b7169203331',
      parent_span_id: 'abcdef0123456789',
      start_time: '2026-11-21 12:00:00.123456',
      end_time: '2026-11-21 12:00:01.000001',
      blob_storage_file_path: 'spans.direct/3/7#0',
      event_ts: '2026-11-21 12:00:00.250000',
      created_at: '2026-11-21 12:00:00.250000',
      updated_at: '2026-11-21 12:00:00.250000',
      is_deleted: 0,
      source: 'otel',
      bookmarked: false,
    })
  })

  test.each([
    ['start missing', { startTimeUnixNano: 0 }, '2026-11-21 12:00:01.000001', '2026-11-21 12:00:01.000001'],
    ['end missing', { endTimeUnixNano: 0 }, '2026-11-21 12:00:00.123456', '2026-11-21 12:00:00.123456'],
    ['both missing', { startTimeUnixNano: 0, endTimeUnixNano: 0 }, '2026-11-21 12:00:00.000000', '2026-11-21 12:00:00.000000'],
    [
      'end before start',
      { startTimeUnixNano: endNano, endTimeUnixNano: '1795262400000000000' },
      '2026-11-21 12:00:01.000001',
      '2026-11-21 12:00:00.000000',
    ],
  ])('%s', (_, times, start_time, end_time) => {
    expect(map({}, { span: times })).toMatchObject({ start_time, end_time })
  })

  test('a root has an empty parent', () => {
    expect(map({})['parent_span_id']).toBe('')
    expect(map({}, { span: { parentSpanId: '0000000000000000' } })['parent_span_id']).toBe('')
  })
})

describe('type', () => {
  test.each([
    [{}, 'SPAN'],
    [{ 'svc.observation.type': 'guardrail', 'openinference.span.kind': 'LLM' }, 'GUARDRAIL'],
    [{ 'svc.observation.type': 'GENERATION' }, 'SPAN'],
    [{ 'openinference.span.kind': 'LLM' }, 'GENERATION'],
    [{ 'openinference.span.kind': 'PROMPT', 'gen_ai.operation.name': 'embeddings' }, 'EMBEDDING'],
    [{ 'gen_ai.operation.name': 'invoke_agent', model: 'm' }, 'AGENT'],
    [{ 'genkit:metadata:subtype': 'tool.v2' }, 'TOOL'],
    [{ 'gen_ai.tool.call.id': 'call-1', 'gen_ai.request.model': 'm' }, 'TOOL'],
    [{ 'llm.model_name': 'm' }, 'GENERATION'],
    [{ 'gen_ai.request.model': '' }, 'SPAN'],
    [{ 'svc.observation.type': 'constructor', 'gen_ai.operation.name': 'toString' }, 'SPAN'],
    [{ 'svc.observation.type': 1 }, 'SPAN'],
  ] as const)('%o is %s', (values, type) => {
    expect(map(values)['type']).toBe(type)
  })
})

describe('name', () => {
  test.each([
    [{}, 'a span'],
    [{ 'gen_ai.tool.name': 'search', 'logfire.msg': 'm' }, 'search'],
    [{ 'gen_ai.tool.name': '', 'logfire.msg': 'm' }, 'm'],
    [{ 'genkit:name': '' }, ''],
    [{ 'ai.operationId': 'ai.generateText' }, 'ai.generateText'],
    [{ 'ai.operationId': 'ai.generateText', 'ai.telemetry.functionId': 'plan' }, 'plan:ai.generateText'],
    [{ 'logfire.msg': 12 }, '12'],
  ] as const)('%o is %s', (values, name) => {
    expect(map(values)['name']).toBe(name)
  })
})

describe('level', () => {
  test.each([
    [{}, 0, 'DEFAULT'],
    [{}, 2, 'ERROR'],
    [{ 'svc.observation.level': ' warn ' }, 2, 'WARNING'],
    [{ 'svc.observation.level': '[x]' }, 2, 'ERROR'],
    [{ 'svc.observation.level': 'Verbose' }, 0, 'DEBUG'],
    [{ 'svc.observation.level': 3 }, 0, 'DEFAULT'],
  ] as const)('%o with status %i is %s', (values, code, level) => {
    expect(map(values, { span: { status: { code } } })['level']).toBe(level)
  })

  test('the SDK’s status message wins over the span’s, even when it is empty', () => {
    const span = { status: { code: 2, message: 'from the span' } }
    expect(map({}, { span })['status_message']).toBe('from the span')
    expect(map({ 'svc.observation.status_message': 'own' }, { span })['status_message']).toBe('own')
    expect(map({ 'svc.observation.status_message': '' }, { span })['status_message']).toBe('')
  })
})

describe('environment, version, release', () => {
  test.each([
    [{}, {}, 'default'],
    [{ 'svc.environment': 'Staging' }, {}, 'staging'],
    [{ 'svc.environment': 'SVC-svc_Prod!' }, {}, 'default'],
    [{ 'svc.environment': 'svc-svc_prod' }, {}, 'prod'],
    [{ 'svc.environment': 'x'.repeat(60) }, {}, 'x'.repeat(40)],
    [{ 'svc.environment': '' }, { 'svc.environment': 'of-resource' }, 'of-resource'],
    [{ 'deployment.environment': 'late' }, { 'deployment.environment.name': 'first' }, 'first'],
    [{ 'svc.environment': 5 }, { 'deployment.environment': 'never' }, 'default'],
  ] as const)('%o of %o is %s', (values, resource, environment) => {
    expect(map(values, { resource })['environment']).toBe(environment)
  })

  test('reads version and release from the span, else from the resource', () => {
    const resource = { 'service.version': '1.0', 'svc.release': 'r1' }
    expect(map({}, { resource })).toMatchObject({ version: '1.0', release: 'r1', service_version: '1.0' })
    expect(map({ 'svc.version': '2.0', 'svc.release': '' }, { resource })).toMatchObject({ version: '2.0', release: '' })
  })
})

describe('the trace', () => {
  test.each([
    ['user_id', { 'svc.user.id': '', 'user.id': 'u' }, 'u'],
    ['user_id', { 'user.id': 42 }, '42'],
    ['user_id', { 'svc.trace.metadata.svc_user_id': 'm' }, 'm'],
    ['session_id', { 'gen_ai.conversation.id': 'c', 'session.id': 's' }, 's'],
    ['trace_name', { 'svc.trace.name': 't' }, 't'],
    ['public', { 'svc.trace.public': 'true' }, true],
    ['public', { 'svc.trace.public': false, 'svc.public': true }, false],
    ['public', { 'svc.public': true }, true],
    ['is_app_root', { 'svc.internal.is_app_root': true }, true],
    ['tags', { 'svc.trace.tags': ['b', 'a', 'b'] }, ['b', 'a', 'b']],
    ['tags', { 'svc.trace.tags': '["x", 1, {"a":2}]' }, ['x', '1', '{"a":2}']],
    ['tags', { 'svc.trace.tags': '[broken' }, ['[broken']],
    ['tags', { 'svc.trace.tags': 'a, b,,c ' }, ['a', 'b', '', 'c']],
    ['tags', { 'svc.trace.tags': ' one ' }, [' one ']],
    ['tags', { 'svc.trace.tags': 7 }, []],
    ['tags', { 'svc.trace.tags': [], 'tag.tags': ['never'] }, []],
  ] as const)('%s of %o', (column, values, expected) => {
    expect(map(values)[column]).toEqual(expected)
  })

  test('uses the fill-in where the span has no value of its own', () => {
    const fill = {
      name: 'trace',
      userId: 'fu',
      sessionId: 'fs',
      tags: ['f1', 'f2'],
      release: 'fr',
      version: 'fv',
      environment: 'Filled',
      public: true,
    }
    expect(row(requestOf({}), { traceAttributes: fill })).toMatchObject({
      trace_name: 'trace',
      user_id: 'fu',
      session_id: 'fs',
      tags: ['f1', 'f2'],
      release: 'fr',
      version: 'fv',
      environment: 'filled',
      public: true,
    })
    const own = {
      'svc.trace.name': 'own',
      'user.id': 'u',
      'session.id': 's',
      'svc.trace.tags': ['t'],
      'svc.release': 'r',
      'svc.version': 'v',
      'svc.environment': 'e',
      'svc.trace.public': false,
    }
    expect(row(requestOf(own), { traceAttributes: fill })).toMatchObject({
      trace_name: 'own',
      user_id: 'u',
      session_id: 's',
      tags: ['t'],
      release: 'r',
      version: 'v',
      environment: 'e',
      public: false,
    })
  })
})

describe('input and output', () => {
  test.each([
    [{ 'svc.observation.input': '', 'input.value': 'never' }, '', ''],
    [{ 'svc.observation.output': 'out', 'input.value': 'in' }, 'in', 'out'],
    [{ 'input.value': 'in', 'output.value': 'out', 'gen_ai.prompt': 'never' }, 'in', 'out'],
    [{ 'input.value': '', 'gen_ai.prompt': 'p', 'gen_ai.completion': 'c' }, 'p', 'c'],
    [{ 'gen_ai.input.messages': '[]', 'gen_ai.tool.call.result': 'r' }, '[]', 'r'],
    [{ 'traceloop.entity.input': ['a', 'b"c'] }, '["a","b\\"c"]', ''],
    [{}, '', ''],
  ] as const)('%o', (values, input, output) => {
    expect(map(values)).toMatchObject({ input, output })
  })
})

test('writes service, scope, SDK and key', () => {
  const request = requestOf(
    {},
    {
      resource: {
        'service.name': 'svc',
        'service.version': '9',
        'telemetry.sdk.language': 'python',
        'telemetry.sdk.name': 'opentelemetry',
        'telemetry.sdk.version': '1.45',
      },
      scope: { name: 'scope', version: '0.1' },
    },
  )
  expect(row(request, { sdkName: 'python', sdkVersion: '5.0.4' })).toMatchObject({
    service_name: 'svc',
    service_version: '9',
    telemetry_sdk_language: 'python',
    telemetry_sdk_name: 'opentelemetry',
    telemetry_sdk_version: '1.45',
    scope_name: 'scope',
    scope_version: '0.1',
    ingestion_api_key: 'pk-1',
    ingestion_sdk_name: 'python',
    ingestion_sdk_version: '5.0.4',
  })
  expect(row({ resourceSpans: [{ scopeSpans: [{ spans: [aSpan()] }] }] })).toMatchObject({
    service_name: '',
    scope_name: '',
    ingestion_sdk_name: 'unknown',
    ingestion_sdk_version: 'unknown',
    metadata: {},
  })
})

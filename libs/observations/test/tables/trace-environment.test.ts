import { describe, expect, test } from 'vitest'
import { requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!

/**
 * Creates one test case for each key of the list. The span of a case has the case's key and all later keys of the list. The row must have
 * the value of the case's key.
 */
const precedence = (keys: readonly string[]) =>
  keys.map((key, i) => [key, Object.fromEntries(keys.slice(i).map((each, at) => [each, `value-${i + at}`])), `value-${i}`] as const)

describe('2.5 environment, version, release', () => {
  const keys = ['svc.environment', 'deployment.environment.name', 'deployment.environment']

  test.each(precedence(keys))('2.5 %s of the span', (_, values, expected) => {
    expect(map(values)['environment']).toBe(expected)
  })
  test.each(precedence(keys))('2.5 %s of the resource', (key, resource, expected) => {
    const later = Object.fromEntries(keys.slice(keys.indexOf(key) + 1).map(each => [each, 'never']))
    expect(map(later, { resource })['environment']).toBe(expected)
  })

  test.each<[string, Values, Values, string]>([
    ['the span before the resource', { 'svc.environment': 'mine' }, { 'svc.environment': 'resource' }, 'mine'],
    ['the next attribute applies if one is empty', { 'svc.environment': '' }, { 'deployment.environment': 'resource' }, 'resource'],
    ['the first truthy one decides, a number too', { 'svc.environment': 5, 'deployment.environment': 'never' }, {}, 'default'],
    ['the first truthy one decides, an invalid one too', { 'svc.environment': 'ä!', 'deployment.environment': 'never' }, {}, 'default'],
    ['lower case', { 'svc.environment': 'Staging' }, {}, 'staging'],
    ['leading repetitions of the brand go', { 'svc.environment': 'svc-SVC_svcprod' }, {}, 'prod'],
    ['reserved names are the product’s', { 'svc.environment': 'svc-prompt-experiment' }, {}, 'prompt-experiment'],
    ['sdk-experiment is not reserved', { 'svc.environment': 'sdk-experiment' }, {}, 'sdk-experiment'],
    ['40 characters', { 'svc.environment': 'x'.repeat(41) }, {}, 'x'.repeat(40)],
    ['nothing left', { 'svc.environment': 'svc-' }, {}, 'default'],
    ['none', {}, {}, 'default'],
  ])('2.5 environment: %s', (_, values, resource, expected) => {
    expect(map(values, { resource })['environment']).toBe(expected)
  })

  describe('2.5 recovery of OpenRouter’s failed requests', () => {
    const completion = (environment: string, content: unknown = null) =>
      JSON.stringify({ completion: content, rawRequest: { trace: { environment } } })
    const resource = { 'service.name': 'openrouter', 'openrouter.source': 'openrouter' }

    test.each<[string, Values, Values, string]>([
      ['taken', { 'gen_ai.completion': completion('svc-llm-as-a-judge') }, resource, 'llm-as-a-judge'],
      ['another environment is not', { 'gen_ai.completion': completion('production') }, resource, 'default'],
      ['a request that did not fail is not', { 'gen_ai.completion': completion('svc-llm-as-a-judge', 'text') }, resource, 'default'],
      [
        'another service is not',
        { 'gen_ai.completion': completion('svc-llm-as-a-judge') },
        { ...resource, 'service.name': 'x' },
        'default',
      ],
      ['an attribute wins', { 'gen_ai.completion': completion('svc-llm-as-a-judge'), 'svc.environment': 'own' }, resource, 'own'],
    ])('2.5 %s', (_, values, of, expected) => {
      expect(map(values, { resource: of })['environment']).toBe(expected)
    })
  })

  test('2.5 version: svc.version ?? service.version', () => {
    const resource = { 'service.version': '1.0' }
    expect(map({ 'svc.version': '2.0' }, { resource })['version']).toBe('2.0')
    expect(map({ 'svc.version': '' }, { resource })['version']).toBe('')
    expect(map({}, { resource })['version']).toBe('1.0')
    expect(map({})['version']).toBe('')
  })

  test('2.5 release: svc.release of the span ?? of the resource', () => {
    const resource = { 'svc.release': 'r1' }
    expect(map({ 'svc.release': 'r2' }, { resource })['release']).toBe('r2')
    expect(map({}, { resource })['release']).toBe('r1')
  })
})

describe('2.6 trace-level attributes', () => {
  test.each([
    ...precedence([
      'svc.user.id',
      'user.id',
      'svc.observation.metadata.svc_user_id',
      'svc.trace.metadata.svc_user_id',
      'ai.telemetry.metadata.userId',
      'ai.settings.context.userId',
    ]).map(row => ['user_id', ...row] as const),
    ...precedence([
      'svc.session.id',
      'session.id',
      'gen_ai.conversation.id',
      'svc.observation.metadata.svc_session_id',
      'svc.trace.metadata.svc_session_id',
      'ai.telemetry.metadata.sessionId',
      'ai.settings.context.sessionId',
    ]).map(row => ['session_id', ...row] as const),
  ])('2.6 %s: %s', (column, key, values, expected) => {
    expect(map(values)[column]).toBe(expected)
    expect(map({ ...values, [key]: 42 })[column]).toBe('42')
    expect(map({ [key]: '' })[column]).toBe('')
  })

  test.each(
    precedence([
      'svc.trace.tags',
      'svc.tags',
      'svc.observation.metadata.svc_tags',
      'svc.trace.metadata.svc_tags',
      'ai.telemetry.metadata.tags',
      'ai.settings.context.tags',
      'tag.tags',
    ]),
  )('2.6 tags: %s', (_, values, expected) => {
    expect(map(values)['tags']).toEqual([expected])
  })

  test.each<[string, Values[string], readonly string[]]>([
    ['a list', ['b', 'a', 'b'], ['b', 'a', 'b']],
    ['JSON text of other values', '["a",1,true,{"b":2}]', ['a', '1', 'true', '{"b":2}']],
    ['JSON text of a list', ' ["x", 1]', ['x', '1']],
    ['text that only looks like one', '[x', ['[x']],
    ['text with commas', 'a, b,,c ', ['a', 'b', '', 'c']],
    ['one tag, not trimmed', ' one ', [' one ']],
    ['a number', 7, []],
    ['true', true, []],
    ['an empty list stops the search', [], []],
  ])('2.6 tags: %s', (_, tags, expected) => {
    expect(map({ 'svc.trace.tags': tags, 'tag.tags': ['never'] })['tags']).toEqual(expected)
  })

  test.each<[string, Values, boolean]>([
    ['svc.trace.public = true', { 'svc.trace.public': true }, true],
    ['svc.trace.public = "true"', { 'svc.trace.public': 'true' }, true],
    ['false wins over svc.public', { 'svc.trace.public': false, 'svc.public': true }, false],
    ['svc.public', { 'svc.public': 'true' }, true],
    ['anything else', { 'svc.trace.public': 1 }, false],
    ['absent', {}, false],
  ])('2.6 public: %s', (_, values, expected) => {
    expect(map(values)['public']).toBe(expected)
  })

  test('2.6 trace_name: svc.trace.name, not the name of the span', () => {
    expect(map({ 'svc.trace.name': 't' })['trace_name']).toBe('t')
    expect(map({})['trace_name']).toBe('')
  })

  test('2.6 is_app_root', () => {
    expect(map({ 'svc.internal.is_app_root': true })['is_app_root']).toBe(true)
    expect(map({ 'svc.internal.is_app_root': 'true' })['is_app_root']).toBe(true)
    expect(map({ 'svc.internal.is_app_root': 'yes' })['is_app_root']).toBe(false)
  })

  test('2.6 bookmarked: never from the wire', () => {
    expect(map({ 'svc.trace.bookmarked': true })['bookmarked']).toBe(false)
  })

  test('real clients 1: the newest SDKs also encode the trace’s metadata as JSON', () => {
    const facts = { scope: { name: 'svc-sdk', version: '5.0.4' }, resource: { 'telemetry.sdk.language': 'python' } }
    const values = {
      'svc.trace.metadata.svc_user_id': '"u"',
      'svc.trace.metadata.svc_session_id': '"s"',
      'svc.trace.metadata.svc_tags': '["t"]',
    }
    expect(map(values, facts)).toMatchObject({ user_id: 'u', session_id: 's', tags: ['t'] })
  })
})

describe('2.7 prompt link', () => {
  const generation = { 'svc.observation.type': 'generation' }
  const telemetry = { 'ai.telemetry.metadata.svcPrompt': '{"name":"t","version":4}' }

  test.each<[string, Values, string, number | null]>([
    [
      'svc.observation.prompt.*',
      { 'svc.observation.prompt.name': 'a', 'svc.observation.prompt.version': 1, 'svc.prompt.name': 'b' },
      'a',
      1,
    ],
    ['svc.prompt.*', { 'svc.prompt.name': 'b', 'svc.prompt.version': '2', ...telemetry }, 'b', 2],
    ['ai.telemetry.metadata.svcPrompt', telemetry, 't', 4],
    [
      'ai.settings.context.svcPrompt.* (AI SDK 7)',
      { 'ai.settings.context.svcPrompt.name': 'c', 'ai.settings.context.svcPrompt.version': 5 },
      'c',
      5,
    ],
    ['an empty name wins over later keys', { 'svc.observation.prompt.name': '', 'svc.prompt.name': 'b' }, '', null],
    ['name and version from different places', { 'svc.prompt.name': 'b', ...telemetry }, 'b', 4],
    ['the leading integer: 3abc', { 'svc.prompt.version': '3abc' }, '', 3],
    ['the leading integer: 3.7', { 'svc.prompt.version': 3.7 }, '', 3],
    ['version 0', { 'svc.prompt.version': 0 }, '', 0],
    ['version 65535', { 'svc.prompt.version': 65535 }, '', 65535],
    ['version 65536 does not fit', { 'svc.prompt.version': 65536 }, '', null],
    ['version -1 does not fit', { 'svc.prompt.version': -1 }, '', null],
  ])('2.7 %s', (_, values, prompt_name, prompt_version) => {
    expect(map({ ...generation, ...values })).toMatchObject({ prompt_name, prompt_version })
  })

  test('2.7 only generations have a prompt; on other spans it stays in the metadata', () => {
    const row = map({ 'svc.prompt.name': 'p', 'svc.prompt.version': 1, ...telemetry })
    expect(row).toMatchObject({ prompt_name: '', prompt_version: null })
    expect(row.metadata).toMatchObject({
      'attributes.svc.prompt.name': 'p',
      'attributes.ai.telemetry.metadata.svcPrompt': '{"name":"t","version":4}',
    })
  })
})

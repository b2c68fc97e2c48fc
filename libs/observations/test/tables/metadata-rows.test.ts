import { encodeTraceRequest } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explainRequest } from '../../src/block/explain.ts'
import { receivedAtMs, requestOf } from '../mapped-rows.ts'
import { explainBoth, type Facts, type Values } from './explained.ts'

const map = (values: Values, facts?: Facts) => explainBoth(requestOf(values, facts))[0]!
const sdk: Facts = { scope: { name: 'svc-sdk', version: '4.0.0' } }
const user = (values: Values) =>
  Object.fromEntries(Object.entries(map(values, sdk).metadata).filter(([name]) => !name.startsWith('scope.')))

describe('2.13 metadata', () => {
  test('2.13 attributes, resourceAttributes, scope', () => {
    expect(map({ a: 'b' }, { resource: { r: 1 }, scope: { name: 's', version: '2' } }).metadata).toEqual({
      'attributes.a': 'b',
      'resourceAttributes.r': '1',
      'scope.name': 's',
      'scope.version': '2',
    })
  })
  test.each(['svc-sdk', 'svc-sdk-extra'])('2.13 omits attributes for scope %s', name => {
    expect(map({ a: 'b' }, { scope: { name } }).metadata).toEqual({ 'scope.name': name })
  })
  test.each(['scope', 'attributes', 'resourceAttributes'])('2.13 a user’s %s replaces the system’s', name => {
    const { metadata } = map({ [`svc.observation.metadata.${name}`]: 'mine', a: 'b' }, { resource: { r: 1 }, scope: { name: 's' } })
    expect(metadata[name]).toBe('mine')
    expect(Object.keys(metadata).filter(key => key.startsWith(`${name}.`))).toEqual([])
  })
  test.each(['svc.observation.metadata', 'svc.trace.metadata', 'svc.metadata'])('2.13 %s as JSON text', key => {
    expect(user({ [key]: '{"a":{"b":1},"c":[1]}' })).toEqual({ 'a.b': '1', c: '[1]' })
  })
  test('2.13 a list yields its indexes as names', () =>
    expect(user({ 'svc.observation.metadata': '["x",{"y":1}]' })).toEqual({ '0': 'x', '1.y': '1' }))
  test.each(['svc.observation.metadata.', 'svc.trace.metadata.', 'svc.metadata.', 'ai.telemetry.metadata.', 'ai.settings.context.'])(
    '2.13 dotted below %s',
    prefix => {
      expect(user({ [`${prefix}k`]: 'v' })).toEqual({ k: 'v' })
    },
  )
  test.each(['userId', 'sessionId', 'tags'])('2.13 ai.telemetry.metadata.%s is not metadata', name => {
    expect(user({ [`ai.telemetry.metadata.${name}`]: 'v' })).toEqual({})
  })
  test('2.13 the carrier with the prefix precedes svc.metadata unless it is empty', () => {
    expect(user({ 'svc.trace.metadata': '{"a":1}', 'svc.metadata': '{"b":2}', 'svc.observation.metadata': '' })).toEqual({ b: '2', a: '1' })
  })
  test('2.13 the trace’s metadata override the observation’s', () => {
    expect(user({ 'svc.trace.metadata': '{"a":"trace"}', 'svc.observation.metadata.a': 'observation' })).toEqual({ a: 'trace' })
  })
  test('2.13 svc.metadata overrides the observation’s metadata unless the trace has its own', () => {
    expect(user({ 'svc.observation.metadata.a': 'observation', 'svc.metadata.a': 'both' })).toEqual({ a: 'both' })
  })
  test('2.13 svc.metadata and its keys stay in attributes', () => {
    const values = { 'svc.metadata': '{"a":1}', 'svc.metadata.b': 'x' }
    expect(map(values).metadata).toEqual({ a: '1', b: 'x', 'attributes.svc.metadata': '{"a":1}', 'attributes.svc.metadata.b': 'x' })
  })
  test('appendix C nested metadata', () => {
    expect(user({ 'svc.observation.metadata': '{"a":{"b":1},"c":[1]}' })).toEqual({ 'a.b': '1', c: '[1]' })
  })
  test('2.13 leaves: texts and empty lists stay, null becomes empty text, empty objects are omitted, other values become JSON', () => {
    expect(user({ 'svc.observation.metadata': '{"s":"t","n":1.5,"b":true,"z":null,"o":{},"l":[]}' })).toEqual({
      s: 't',
      n: '1.5',
      b: 'true',
      z: '',
      l: '[]',
    })
  })
  test('2.13 a repeated path yields two entries', () => {
    const row = map({ 'svc.observation.metadata': '{"a.b":1,"a":{"b":2}}' }, sdk)
    expect((row['metadata_names'] as string[]).filter(name => name === 'a.b')).toHaveLength(2)
  })

  const losses = (values: Values) => explainRequest(encodeTraceRequest(requestOf(values, sdk)), { nowMs: receivedAtMs }).losses
  test.each([
    ['parse_failure', '{nope', 'metadata_unreadable'],
    ['primitive', '5', 'metadata_no_object'],
    ['primitive', '"text"', 'metadata_no_object'],
  ] as const)('2.13 %s is counted once, and kept', (_, text, reason) => {
    expect(losses({ 'svc.metadata': text })[reason]).toBe(1)
    expect(user({ 'svc.metadata': text })).toEqual({ 'attributes.svc.metadata': text })
  })
})

describe('real clients', () => {
  test('SDKs that encode metadata: decodes every value of trace and observation with its type', () => {
    const values = { 'svc.trace.metadata.n': '123', 'svc.observation.metadata.t': '"123"', 'svc.observation.metadata.o': '{"a":{"b":0}}' }
    const row = map(values, { scope: { name: 'svc-sdk', version: '5.0.4' }, resource: { 'telemetry.sdk.language': 'python' } })
    const names = row['metadata_names'] as string[]
    const typeOf = (name: string) => (row['metadata_types'] as number[])[names.indexOf(name)]
    expect(row.metadata).toMatchObject({ n: '123', t: '123', 'o.a.b': '0' })
    expect(['n', 't', 'o.a.b'].map(typeOf)).toEqual([1, 0, 1])
  })
  test('older SDKs: flattens objects sent as text, and keeps scalars as text', () => {
    expect(user({ 'svc.observation.metadata.o': '{"a": {"b": 0}}', 'svc.observation.metadata.n': '1.5' })).toEqual({
      'o.a.b': '0',
      n: '1.5',
    })
  })
  test('openinference: the attribute `metadata` is user metadata with the lowest precedence', () => {
    expect(map({ metadata: '{"a":1,"b":{"c":2}}', 'svc.observation.metadata.a': 'mine' }).metadata).toEqual({ a: 'mine', 'b.c': '2' })
  })
  test('metadata other than a JSON object is an ordinary attribute', () => {
    expect(map({ metadata: 'text' }).metadata).toEqual({ 'attributes.metadata': 'text' })
  })
  test('openinference: stores the length of vectors and truncated texts, and counts both', () => {
    const values = {
      'embedding.embeddings.0.embedding.vector': ['0.5', '1.5', '2.5'],
      'embedding.embeddings.0.embedding.text': 'ä'.repeat(600),
      'embedding.embeddings.1.embedding.text': 'short',
      'embedding.embeddings.1.embedding.vector': '[1,2]',
      'embedding.embeddings.1.embedding.other': 'kept',
    }
    const explained = explainRequest(encodeTraceRequest(requestOf(values)), { nowMs: receivedAtMs })
    expect(map(values).metadata).toEqual({
      'attributes.embedding.embeddings.0.embedding.vector.length': '3',
      'attributes.embedding.embeddings.0.embedding.text': `${'ä'.repeat(500)}…`,
      'attributes.embedding.embeddings.1.embedding.text': 'short',
      'attributes.embedding.embeddings.1.embedding.vector.length': '2',
      'attributes.embedding.embeddings.1.embedding.other': 'kept',
    })
    expect(explained.losses).toMatchObject({ embedding_vector: 2, embedding_text: 1 })
  })
  test('stores the lengths of ai.embedding and ai.embeddings', () => {
    expect(map({ 'ai.embedding': '[0.1,0.2]', 'ai.embeddings': ['[0.1]', '[0.2]', '[0.3]'] }).metadata).toEqual({
      'attributes.ai.embedding.length': '2',
      'attributes.ai.embeddings.length': '3',
    })
  })
  test('omits the MIME types of input and output, and keeps system and finish reason', () => {
    const values = {
      'input.mime_type': 'text/plain',
      'output.mime_type': 'application/json',
      'llm.system': 'openai',
      'llm.finish_reason': 'stop',
    }
    expect(map(values).metadata).toEqual({ 'attributes.llm.system': 'openai', 'attributes.llm.finish_reason': 'stop' })
  })
})

test('the order of attributes never changes the metadata', () => {
  const prefixes = [
    'svc.observation.metadata',
    'svc.trace.metadata',
    'svc.metadata',
    'ai.telemetry.metadata',
    'ai.settings.context',
    'metadata',
  ]
  const keys = prefixes.flatMap(prefix => [prefix, `${prefix}.a`, `${prefix}.b`])
  const value = fc.constantFrom('{"a":1,"c":{"d":2}}', 'text', '[1]', '', '"q"')
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), value), fc.nat(), (values, seed) => {
      const entries = Object.entries(values)
      const turned = entries.map((_, i) => entries[(i + seed) % entries.length]!)
      expect(user(Object.fromEntries(turned))).toEqual(user(values))
    }),
    { numRuns: 150 },
  )
})

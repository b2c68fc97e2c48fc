import { attributes, type KeyValue } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Mapping, openMapping, requestOf } from './mapped-rows.ts'

let mapping: Mapping
beforeAll(async () => {
  mapping = await openMapping()
})
afterAll(() => mapping.close())

const text = 0
const number = 1
const boolean = 2
const json = 3
const nothing = 4

const map = (values: Parameters<typeof requestOf>[0], facts?: Parameters<typeof requestOf>[1]) =>
  mapping.row(requestOf(values, facts)).metadata
const mapList = (list: readonly KeyValue[]) => mapping.row(requestOf({}, { span: { attributes: list } })).metadata

describe('attributes, resource, scope', () => {
  test('every kind of value keeps its type', () => {
    const metadata = mapList([
      ...attributes({
        s: 'text',
        i: 12,
        big: 9223372036854775807n,
        neg: -9223372036854775808n,
        d: 0.1,
        b: true,
        list: ['a', '"'],
        bytes: Buffer.from('hi'),
      }),
      { key: 'nan', value: { doubleValue: Number.NaN } },
      { key: 'missing' },
      { key: 'empty', value: {} },
      { key: 'emptyList', value: { arrayValue: { values: [] } } },
      {
        key: 'mixed',
        value: { arrayValue: { values: [{ intValue: 1 }, {}, { kvlistValue: { values: [{ key: 'k', value: { boolValue: false } }] } }] } },
      },
      {
        key: 'map',
        value: {
          kvlistValue: {
            values: [
              { key: 'a', value: { kvlistValue: { values: [{ key: 'b', value: { intValue: 1 } }] } } },
              { key: 'c', value: { stringValue: 'd' } },
            ],
          },
        },
      },
    ])
    expect(metadata).toEqual({
      'attributes.s': ['text', text],
      'attributes.i': ['12', number],
      'attributes.big': ['9223372036854775807', number],
      'attributes.neg': ['-9223372036854775808', number],
      'attributes.d': ['0.1', number],
      'attributes.b': ['true', boolean],
      'attributes.list': ['["a","\\""]', json],
      'attributes.bytes': ['aGk=', text],
      'attributes.nan': ['NaN', text],
      'attributes.missing': ['', nothing],
      'attributes.empty': ['', nothing],
      'attributes.emptyList': ['[]', json],
      'attributes.mixed': ['[1,null,{"k":false}]', json],
      'attributes.map.a.b': ['1', number],
      'attributes.map.c': ['d', text],
    })
  })

  test('every row contains resource and scope', () => {
    const facts = {
      resource: { 'service.name': 'svc', pid: 4 },
      scope: { name: 'sc', version: '1', attributes: attributes({ public_key: 'pk' }) },
    }
    expect(map({ a: 'b' }, facts)).toEqual({
      'attributes.a': ['b', text],
      'resourceAttributes.service.name': ['svc', text],
      'resourceAttributes.pid': ['4', number],
      'scope.name': ['sc', text],
      'scope.version': ['1', text],
      'scope.attributes.public_key': ['pk', text],
    })
  })

  test('omits values that became input and output, and keeps everything else', () => {
    const metadata = map({
      'input.value': 'in',
      prompt: 'another one',
      'svc.observation.input': '{"messages":["in"]}',
      'user.id': 'u',
      'gen_ai.prompt.0.content': 'messages',
      'gen_ai.promptly': 'kept',
    })
    expect(Object.keys(metadata)).toEqual(['attributes.user.id', 'attributes.gen_ai.promptly', 'attributes.prompt'])
  })

  test('a scope of the SDK has no attributes.*', () => {
    const scope = { name: 'svc-sdk', version: '5.11.1' }
    expect(Object.keys(map({ a: 'b', 'user.id': 'u' }, { scope }))).toEqual(['scope.name', 'scope.version'])
  })

  test('a scope of the SDK keeps attributes that a column could not store', () => {
    const values = {
      'svc.observation.level': 'odd',
      'svc.observation.model.parameters': 'no json',
      'svc.observation.prompt.version': 'first',
      'svc.observation.completion_start_time': 'soon',
      'svc.observation.type': 'generation',
    }
    const { [`scope.name`]: _, ...metadata } = map(values, { scope: { name: 'svc-sdk' } })
    const { 'svc.observation.type': __, ...kept } = values
    expect(metadata).toEqual(Object.fromEntries(Object.entries(kept).map(([key, value]) => [`attributes.${key}`, [value, text]])))
  })

  test('a later attribute with the same key wins', () => {
    expect(mapList([...attributes({ a: 'first', b: 1 }), ...attributes({ a: 'second' })])).toEqual({
      'attributes.b': ['1', number],
      'attributes.a': ['second', text],
    })
  })
})

describe('the user’s metadata', () => {
  const scope = { name: 'svc-sdk', version: '5.11.1' }
  const user = (values: Parameters<typeof requestOf>[0], more = {}) => {
    const metadata = { ...mapping.row(requestOf(values, { scope, ...more })).metadata }
    delete metadata['scope.name']
    delete metadata['scope.version']
    return metadata
  }

  test('a JSON object is flattened, typed, and exact', () => {
    const carrier = '{"a":{"b":1,"e":{}},"c":[1],"d":"x","n":null,"t":true,"big":12345678901234567890,"f":1.50,"__proto__":{"p":1}}'
    expect(user({ 'svc.observation.metadata': carrier })).toEqual(
      Object.fromEntries([
        ['a.b', ['1', number]],
        ['c', ['[1]', json]],
        ['d', ['x', text]],
        ['n', ['', nothing]],
        ['t', ['true', boolean]],
        ['big', ['12345678901234567890', number]],
        ['f', ['1.50', number]],
        ['__proto__.p', ['1', number]],
      ]),
    )
  })

  test('dotted keys override the carrier, and the trace’s metadata override the observation’s', () => {
    expect(
      user({
        'svc.observation.metadata': '{"a":1,"b":1,"c":1}',
        'svc.observation.metadata.b': 2,
        'svc.trace.metadata.c': 3,
        'svc.metadata.d': 4,
        'ai.telemetry.metadata.e': 5,
        'ai.telemetry.metadata.userId': 'u',
      }),
    ).toEqual({ a: ['1', number], b: ['2', number], c: ['3', number], d: ['4', number], e: ['5', number] })
  })

  test('svc.metadata is the base of the trace’s and the observation’s metadata', () => {
    expect(user({ 'svc.metadata': '{"a":1}', 'svc.observation.metadata': '{"a":2,"b":2}' })).toEqual({ a: ['1', number], b: ['2', number] })
  })

  test('a carrier that is not an object is kept unchanged', () => {
    expect(user({ 'svc.observation.metadata': 'just text' })).toEqual({
      'attributes.svc.observation.metadata': ['just text', text],
    })
  })

  test('older SDKs: flattens objects and lists sent as text, and keeps scalars as text', () => {
    expect(
      user({
        'svc.observation.metadata.n': '1.5',
        'svc.observation.metadata.o': '{"a": {"b": 0}}',
        'svc.observation.metadata.l': '[1, 2]',
        'svc.observation.metadata.broken': '{nope',
        'svc.observation.metadata.quoted': '"text"',
        'svc.observation.metadata.int': 3,
      }),
    ).toEqual({
      n: ['1.5', text],
      'o.a.b': ['0', number],
      l: ['[1, 2]', json],
      broken: ['{nope', text],
      quoted: ['"text"', text],
      int: ['3', number],
    })
  })

  const encoded = {
    'svc.observation.metadata.plain': '"text"',
    'svc.observation.metadata.escaped': '"a\\"b\\u00e4"',
    'svc.observation.metadata.num': '0',
    'svc.observation.metadata.numText': '"0"',
    'svc.observation.metadata.float': '-1.5e3',
    'svc.observation.metadata.flag': 'true',
    'svc.observation.metadata.none': 'null',
    'svc.observation.metadata.nested': '{"a":{"b":0}}',
    'svc.observation.metadata.bare': 'not json',
    'svc.observation.metadata.nearly': '1.',
  }
  const decoded = {
    plain: ['text', text],
    escaped: ['a"bä', text],
    num: ['0', number],
    numText: ['0', text],
    float: ['-1.5e3', number],
    flag: ['true', boolean],
    none: ['', nothing],
    'nested.a.b': ['0', number],
    bare: ['not json', text],
    nearly: ['1.', text],
  }

  test('the newest SDKs encode every value as JSON, detected by their headers', () => {
    const row = mapping.row(requestOf(encoded), { sdkName: 'python', sdkVersion: '5.0.4' })
    expect(row.metadata).toEqual(decoded)
  })

  test.each([
    ['python', '5.0.4', true],
    ['python', '4.18.0', false],
    ['nodejs', '6.0.0', true],
    ['nodejs', '5.11.1', false],
  ])('by scope and language: %s %s', (language, version, decodes) => {
    const resource = { 'telemetry.sdk.language': language }
    const { metadata } = mapping.row(requestOf(encoded, { scope: { name: 'svc-sdk', version }, resource }))
    expect(metadata['plain']).toEqual(decodes ? ['text', text] : ['"text"', text])
  })

  test('metadata named `scope` from the user replace the server’s', () => {
    expect(map({ 'svc.trace.metadata.scope': 'mine' }, { scope: { name: 'sc' } })).toEqual({ scope: ['mine', text] })
  })
})

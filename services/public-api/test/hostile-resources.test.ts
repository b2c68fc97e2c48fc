// Writes resources with any valid name and JSON. Two instances of the API share one store. Names and JSON must stay unchanged through
// create, get, list, change and delete.
import { createKeyStore } from '@svc-server/relational/key-store'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic, startApi, type TestApi } from './api.ts'
import { type OpenedResources, openResources } from './resources.ts'

const runs = Number(process.env['SVC_TEST_CASES'] ?? sized(20, 6))

let opened: OpenedResources
let other: TestApi
let authorization: string
beforeAll(async () => {
  const env = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
  opened = await openResources({ env })
  const keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId: 'project-0' } })
  authorization = basic(publicKey, secretKey)
  other = await startApi({ relational: opened.store, keys, env })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await opened[Symbol.asyncDispose]()
})

const enc = encodeURIComponent

async function send(api: TestApi, method: string, path: string, body?: unknown) {
  const answer = await api.send(method, `/api/public${path}`, { authorization, ...(body !== undefined && { body }) })
  expect(answer.status, `${method} ${path} ${JSON.stringify(body)} → ${answer.text}`).toBeLessThan(500)
  return answer
}

const pieces = fc.constantFrom(
  ...['/', '.', '..', './', '%', '%2F', '%2f', '%25', '%zz', '%00', ' ', '+', '&', '=', '?', '#', '\\', '"', "'", '`', ';', ':', '@', '*'],
  ...[
    '\n',
    '\r',
    '\t',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\uffff',
    '🙂',
    '👩‍👩‍👧',
    'é',
    'e\u0301',
    '名',
    'ß',
    'İ',
  ],
  ...['{', '}', '{{a}}', '[', ']', '(', '$1', '$$', '--', '<', '>', '@@@', 'a', 'A', '0', '_', '-', 'null', 'true', 'new'],
)
const whole = fc.constantFrom(
  ...[
    'null',
    'undefined',
    'true',
    '0',
    '-1',
    'NaN',
    '.',
    '..',
    '...',
    '%',
    '%2e%2e',
    'batch',
    'runs',
    'items',
    'versions',
    'labels',
    'content',
  ],
  ...['new', 'metrics', 'prompt-detail', 'New', '__proto__', 'constructor', 'toString', 'latest', 'production', '*', ':id', '{name}', '@'],
  ...['x'.repeat(254), 'x'.repeat(255), 'x'.repeat(256), '名'.repeat(255), '🙂'.repeat(127), `${'x'.repeat(253)}/y`],
)
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.array(pieces, { minLength: 1, maxLength: 8 }).map(parts => parts.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: whole },
)

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** True if `name`, which is already trimmed, is a valid prompt name. */
const isPromptName = (name: string) =>
  isStorable(name) &&
  name.length >= 1 &&
  name.length <= 255 &&
  !/<[^>]*>|\|/.test(name) &&
  !/^\/|\/$|\/\//.test(name) &&
  !['new', 'metrics', 'prompt-detail'].includes(name)

const property = (check: (name: string) => Promise<void>) => fc.assert(fc.asyncProperty(hostile, check), { numRuns: runs })

test('any prompt name survives create, get, list, change and delete', () =>
  property(async given => {
    const name = given.trim()
    const made = await send(opened.api, 'POST', '/v2/prompts', { name: given, prompt: 'p', labels: ['production'] })
    expect([made.status, JSON.stringify(given)]).toEqual([isPromptName(name) ? 201 : 400, JSON.stringify(given)])
    if (made.status !== 201) return
    expect(made.json.name).toBe(name)
    const read = await send(other, 'GET', `/v2/prompts/${enc(name)}`)
    expect([read.status, read.json.name, read.json.id]).toEqual([200, name, made.json.id])
    const former = await send(other, 'GET', `/prompts?name=${enc(name)}`)
    expect([former.status, former.json.id]).toEqual([200, made.json.id])
    const listed = await send(other, 'GET', `/v2/prompts?name=${enc(name)}`)
    expect(listed.json.data).toMatchObject([{ name, versions: [1] }])
    const moved = await send(other, 'PATCH', `/v2/prompts/${enc(name)}/versions/1`, { newLabels: ['held'] })
    expect([moved.status, moved.json.labels]).toEqual([200, ['production', 'latest', 'held']])
    expect((await send(opened.api, 'DELETE', `/v2/prompts/${enc(name)}/versions/1/labels/held`)).status).toBe(200)
    if (!/@@@/.test(name)) {
      const parent = { name: 'parent', prompt: `@@@svcPrompt:name=${name}|version=1@@@` }
      expect((await send(opened.api, 'POST', '/v2/prompts', parent)).status).toBe(201)
      const resolved = await send(other, 'GET', '/v2/prompts/parent?label=latest')
      expect([resolved.json.prompt, resolved.json.resolutionGraph.root.name]).toEqual(['p', 'parent'])
      expect((await send(opened.api, 'DELETE', `/v2/prompts/${enc(name)}`)).status).toBe(400)
      expect((await send(opened.api, 'DELETE', '/v2/prompts/parent')).status).toBe(204)
    }
    expect((await send(other, 'DELETE', `/v2/prompts/${enc(name)}`)).status).toBe(204)
    expect((await send(opened.api, 'GET', `/v2/prompts/${enc(name)}`)).status).toBe(404)
  }))

test('any name of a dataset, item or run survives', () =>
  property(async name => {
    const made = await send(opened.api, 'POST', '/v2/datasets', { name, description: name })
    expect([made.status, JSON.stringify(name)]).toEqual([isStorable(name) ? 200 : 400, JSON.stringify(name)])
    if (made.status !== 200) return
    const read = await send(other, 'GET', `/v2/datasets/${enc(name)}`)
    expect([read.status, read.json.name, read.json.description]).toEqual([200, name, name])
    expect((await send(other, 'GET', '/v2/datasets?limit=100')).json.data).toContainEqual(read.json)

    const id = name
    const item = await send(opened.api, 'POST', '/dataset-items', { datasetName: name, id, input: name, sourceTraceId: name })
    expect([item.status, JSON.stringify(name)]).toEqual([id.length <= 255 ? 200 : 400, JSON.stringify(name)])
    if (item.status !== 200) return
    expect((await send(other, 'GET', `/dataset-items/${enc(id)}`)).json).toEqual(item.json)
    const query = `datasetName=${enc(name)}&sourceTraceId=${enc(name)}`
    expect((await send(other, 'GET', `/dataset-items?${query}`)).json.data).toEqual([item.json])
    expect((await send(other, 'GET', `/datasets/${enc(name)}`)).json.items).toEqual([item.json])

    const run = await send(opened.api, 'POST', '/dataset-run-items', { runName: name, datasetItemId: id, traceId: name })
    expect([run.status, run.json.datasetRunName]).toEqual([200, name])
    expect((await send(other, 'GET', `/datasets/${enc(name)}/runs`)).json.data).toMatchObject([{ name }])
    expect((await send(other, 'GET', `/datasets/${enc(name)}/runs/${enc(name)}`)).json).toMatchObject({ name })
    expect((await send(other, 'DELETE', `/datasets/${enc(name)}/runs/${enc(name)}`)).status).toBe(200)

    expect((await send(other, 'DELETE', `/dataset-items/${enc(id)}`)).status).toBe(200)
    expect((await send(opened.api, 'GET', `/dataset-items/${enc(id)}`)).status).toBe(404)
    expect((await send(opened.api, 'GET', `/dataset-items?${query}`)).json.data).toEqual([])
  }))

test('any name of a score configuration, queue or model survives', () =>
  property(async name => {
    const config = await send(opened.api, 'POST', '/score-configs', { name, dataType: 'TEXT', description: name })
    const isName = isStorable(name) && /^[\p{L}\p{N}_ .()-]{1,35}$/u.test(name)
    expect([config.status, JSON.stringify(name)]).toEqual([isName ? 200 : 400, JSON.stringify(name)])
    if (isName) expect((await send(other, 'GET', `/score-configs/${config.json.id}`)).json).toMatchObject({ name, description: name })

    const any = isName ? config : await send(opened.api, 'POST', '/score-configs', { name: 'any', dataType: 'TEXT' })
    const queue = await send(opened.api, 'POST', '/annotation-queues', { name, description: name, scoreConfigIds: [any.json.id] })
    if (queue.status === 400 && queue.text.includes('already exists')) return
    expect([queue.status, JSON.stringify(name)]).toEqual([isStorable(name) ? 200 : 400, JSON.stringify(name)])
    if (queue.status !== 200) return
    expect((await send(other, 'GET', `/annotation-queues/${queue.json.id}`)).json).toMatchObject({ name, description: name })
    const items = `/annotation-queues/${queue.json.id}/items`
    const item = await send(opened.api, 'POST', items, { objectId: name, objectType: 'SESSION' })
    expect([item.status, item.json.objectId]).toEqual([200, name])
    expect((await send(other, 'GET', items)).json.data).toEqual([item.json])
    expect((await send(other, 'DELETE', `${items}/${item.json.id}`)).status).toBe(200)

    const body = { modelName: name, matchPattern: '(?i)^m$', inputPrice: 1 }
    const model = await send(opened.api, 'PUT', `/models/${enc(name)}`, body)
    expect([model.status, model.json.id, model.json.modelName]).toEqual([200, name, name])
    expect((await send(other, 'GET', `/models/${enc(name)}`)).json).toEqual(model.json)
    expect((await send(other, 'DELETE', `/models/${enc(name)}`)).status).toBe(200)
    expect((await send(opened.api, 'GET', `/models/${enc(name)}`)).status).toBe(404)
  }))

const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => JSON.stringify(value)),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.bigInt({ min: 0n, max: 10n ** 25n })).map(([whole, part]) => `${whole}.${part}`),
  fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -320, max: 320 })).map(([digits, exponent]) => `${digits}e${exponent}`),
  fc.constantFrom('-0', '0.0', '1E5', '9007199254740993', '0.1', '1e390', '-1e-390', '5e-324', '1.7976931348623157e308'),
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  hostile,
  fc.constantFrom(
    '',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '\ufeff',
    '\u2028',
    '__proto__',
    'constructor',
    '4294967295',
    '1023',
    '\\',
    '\\u0000',
  ),
)
/** Generates JSON text. An object can contain a name twice. */
const { json } = fc.letrec<{ json: string }>(tie => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
    number,
    text.map(value => JSON.stringify(value)),
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('json'), { maxLength: 4 }).map(list => `[${list.join(', ')}]`),
    fc
      .array(fc.tuple(text, tie('json')), { maxLength: 4 })
      .map(members => `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(',')}}`),
  ),
}))

/**
 * Returns JSON text that the test can compare. Equal numbers have equal text, and names are sorted. The function drops NUL and replaces
 * lone surrogates, because the stores do so, too.
 */
function meaningOf(source: string): string {
  const decimal = (written: string) => {
    const [, sign, whole = '', part = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(written)!
    const digits = `${whole}${part}`.replace(/^0+/, '')
    const kept = digits.replace(/0+$/, '')
    return kept === '' ? '0' : `${sign}${kept}e${Number(exponent) - part.length + digits.length - kept.length}`
  }
  const clean = (value: string) => value.replaceAll('\0', '').toWellFormed()
  const of = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value)
    if (Array.isArray(value)) return value.map(of)
    if (value === null || typeof value !== 'object') return value
    const members = new Map(Object.entries(value).map(([name, member]) => [clean(name), of(member)]))
    return { members: [...members].sort(([a], [b]) => (a < b ? -1 : 1)) }
  }
  const revive = (_: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? `number ${decimal(source!)}` : value
  return JSON.stringify(of(JSON.parse(source, revive as never)))
}

/** Returns the JSON text of one member. */
function memberOf(source: string, name: string): string {
  const raw = JSON as unknown as { rawJSON(text: string): unknown }
  const revive = (_: string, value: unknown, { source }: { source?: string }) => (typeof value === 'number' ? raw.rawJSON(source!) : value)
  return JSON.stringify((JSON.parse(source, revive as never) as Record<string, unknown>)[name])
}

test('JSON of items, datasets, prompts and runs comes back with all digits', async () => {
  await send(opened.api, 'POST', '/v2/datasets', { name: 'of json' })
  await fc.assert(
    fc.asyncProperty(json, json, async (one, two) => {
      const item = await send(
        opened.api,
        'POST',
        '/dataset-items',
        `{"datasetName":"of json","input":${one},"expectedOutput":${two},"metadata":${one}}`,
      )
      expect(item.status, item.text).toBe(200)
      const read = await send(other, 'GET', `/dataset-items/${item.json.id}`)
      for (const [name, given] of [
        ['input', one],
        ['expectedOutput', two],
        ['metadata', one],
      ] as const)
        expect(meaningOf(memberOf(read.text, name))).toBe(meaningOf(given))

      const dataset = await send(
        opened.api,
        'POST',
        '/v2/datasets',
        `{"name":"with json","metadata":${one},"inputSchema":{"type":"object","default":${two}}}`,
      )
      expect(dataset.status, dataset.text).toBe(200)
      const readDataset = await send(other, 'GET', '/v2/datasets/with%20json')
      expect(meaningOf(memberOf(readDataset.text, 'metadata'))).toBe(meaningOf(one))
      expect(meaningOf(memberOf(readDataset.text, 'inputSchema'))).toBe(meaningOf(`{"type":"object","default":${two}}`))

      const chat = `[{"role":"user","content":"a","extra":${two},"type":"chatmessage"}]`
      const prompt = await send(opened.api, 'POST', '/v2/prompts', `{"name":"with json","type":"chat","prompt":${chat},"config":${one}}`)
      expect(prompt.status, prompt.text).toBe(201)
      const readPrompt = await send(other, 'GET', `/v2/prompts/with%20json?version=${prompt.json.version}`)
      expect(meaningOf(memberOf(readPrompt.text, 'config'))).toBe(meaningOf(one))
      expect(meaningOf(memberOf(readPrompt.text, 'prompt'))).toBe(meaningOf(chat))
      const [listed] = (await send(other, 'GET', '/v2/prompts?name=with%20json')).json.data
      expect(JSON.stringify(listed.lastConfig)).toBe(JSON.stringify(JSON.parse(memberOf(readPrompt.text, 'config'))))
    }),
    { numRuns: runs },
  )
})

test.each(['1e401', '-1e999999999', '1e-131072', `0.${'1'.repeat(500)}`])(
  'a number that the stores cannot keep is refused: %s',
  async given => {
    for (const [path, body] of [
      ['/dataset-items', `{"datasetName":"of json","input":[${given}]}`],
      ['/v2/datasets', `{"name":"with json","metadata":${given}}`],
      ['/v2/prompts', `{"name":"with json","type":"text","prompt":"","config":{"a":${given}}}`],
    ] as const)
      expect((await send(opened.api, 'POST', path, body)).status, path).toBe(400)
  },
)

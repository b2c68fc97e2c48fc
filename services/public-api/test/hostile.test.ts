// Sends bad bodies, and ids of other projects, to every route that takes a body. No response is a 5xx, and every response has the format of
// its route's family. Nothing is written to the log.
import { readDeletions } from '@svc-server/relational/deletions'
import { instance } from '@svc-server/relational/tenancy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { organizationKey, startApi, type TestApi } from './api.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'

let datasets: OpenedDatasets
let api: TestApi
beforeAll(async () => {
  datasets = await openDatasets()
  const env = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
  api = await startApi({ env, relational: datasets.store })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await datasets[Symbol.asyncDispose]()
})

interface Route {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly maxBytes?: number
  readonly authorization?: string
}

const iso = '2026-03-01T00:00:00.000Z'
const events = [{ id: 'e', type: 'trace-create', timestamp: iso, body: { id: 't' } }]
const routes: readonly Route[] = [
  { method: 'DELETE', path: '/api/public/traces', body: { traceIds: ['t'] } },
  { method: 'POST', path: '/api/public/scores', body: { name: 'n', value: 1, traceId: 't' } },
  { method: 'POST', path: '/api/public/dataset-run-items', body: { runName: 'r', datasetItemId: 'item-1', traceId: 't' } },
  { method: 'POST', path: '/api/public/ingestion', body: { batch: events }, maxBytes: 4_500_000 },
  { method: 'POST', path: '/api/public/traces', body: { id: 't' } },
  { method: 'PATCH', path: '/api/public/spans', body: { spanId: 's', traceId: 't' } },
  { method: 'POST', path: '/api/public/projects', body: { name: 'project', retention: 0 }, authorization: organizationKey },
]

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const withMember = (body: object, member: string) => `${JSON.stringify(body).slice(0, -1)},${member}}`

const bodies: readonly (readonly [what: string, of: (route: Route) => string | Buffer, status: (code: number) => boolean])[] = [
  ['nothing', () => '', code => code === 400],
  ['no JSON', () => '{"a":', code => code === 400],
  ['a number', () => '7', code => code === 400],
  ['null', () => 'null', code => code === 400],
  ['a list', () => '[[]]', code => code === 400 || code === 207],
  ['no UTF-8', () => Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), code => code === 400],
  ['UTF-16', ({ body }) => Buffer.from(JSON.stringify(body), 'utf16le'), code => code === 400],
  ['ten thousand levels', ({ body }) => withMember(body, `"metadata":${deep(10_000)}`), code => code === 400],
  ['ten thousand levels in a text that never ends', () => `{"a":"${'['.repeat(10_000)}`, code => code === 400],
  ['a member twice', ({ body }) => withMember(body, JSON.stringify(body).slice(1, -1)), code => code < 400],
  ['names of built-ins', ({ body }) => withMember(body, '"__proto__":{"a":1},"constructor":1'), code => code < 500],
  ['a name that the runtime does not hash', ({ body }) => withMember(body, `"metadata":{"${'k'.repeat(16_384)}":1}`), code => code === 400],
  ['too large', ({ body, maxBytes = 1_000_000 }) => withMember(body, `"metadata":"${'x'.repeat(maxBytes)}"`), code => code === 413],
]

test.for(routes)('$method $path handles bodies that no client sends', async route => {
  const { method, path, authorization } = route
  for (const [what, of, isRight] of bodies) {
    const answer = await api.send(method, path, {
      body: of(route),
      ...(authorization && { authorization }),
      headers: { 'content-type': 'application/json' },
    })
    expect(isRight(answer.status), `${what}: ${answer.status} ${answer.text.slice(0, 300)}`).toBe(true)
    if (answer.status >= 400) expect(answer.json.message, what).toEqual(expect.any(String))
  }
  expect(api.logLines.filter(line => line.includes('defect'))).toEqual([])
})

test('1,001 scores are refused with the limit; 1,000 scores with one id are accepted and become one record', async () => {
  const score = { id: 'same', name: 'n', value: 1, traceId: 't' }
  const many = await api.send('POST', '/api/public/scores', { body: Array(1_001).fill(score) })
  expect([many.status, many.text.includes('1000') || many.text.includes('1,000')]).toEqual([400, true])
  expect((await api.send('POST', '/api/public/scores', { body: Array(1_000).fill(score) })).status).toBe(202)
  expect((await api.scores()).filter(({ id }) => id === 'same')).toHaveLength(1)
})

test('an id repeated a thousand times is one deletion, in the project of the key', async () => {
  const answer = await api.send('DELETE', '/api/public/traces', { body: { traceIds: Array(1_000).fill('nul\0and \ud800') } })
  expect(answer.status).toBe(200)
  const noted = []
  for await (const batch of readDeletions(instance(datasets.store)))
    noted.push(...batch.filter(({ traceId }) => traceId?.startsWith('nul')))
  expect(noted).toMatchObject([{ projectId: 'project-0', traceId: 'nul\0and \ufffd' }])
  expect((await api.commands()).filter(command => command?.traceId?.startsWith('nul'))).toHaveLength(1)
  expect(new Set((await api.commands()).map(command => command?.projectId))).toEqual(new Set(['project-0']))
})

test("a run item of another project's dataset item is refused, whatever else is valid", async () => {
  const body = { runName: 'r', traceId: 't', datasetItemId: 'item-other' }
  const answer = await api.send('POST', '/api/public/dataset-run-items', { body })
  expect([answer.status, answer.json.message]).toEqual([404, 'Dataset item not found'])
  for (const bad of [
    { runName: 'nul\0' },
    { runName: 'x'.repeat(501) },
    { traceId: 'x'.repeat(801) },
    { datasetVersion: 'x' },
    { createdAt: 7 },
  ]) {
    const refused = await api.send('POST', '/api/public/dataset-run-items', { body: { ...body, ...bad } })
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.json.error)).toContain(`"${Object.keys(bad)[0]}"`)
  }
})

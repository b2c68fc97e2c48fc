// Sends generated bodies and queries, damaged bodies and queries, and garbage. No response is a 5xx or takes longer than ten seconds. Every
// accepted item is on the log.
import { setTimeout } from 'node:timers/promises'
import { CreateDatasetRunItemRequest } from '@svc-server/api/dataset-run-items/operations'
import { envelope, eventBodies } from '@svc-server/api/ingestion/events'
import * as legacy from '@svc-server/api/legacy/writes'
import { CreateProjectRequest } from '@svc-server/api/projects/types'
import { scoreQuery } from '@svc-server/api/scores/query'
import { createScore } from '@svc-server/api/scores/score'
import { DeleteTracesRequest } from '@svc-server/api/trace/types'
import { readDeletions } from '@svc-server/relational/deletions'
import { instance } from '@svc-server/relational/tenancy'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { configsOnly, organizationKey, publicKeyAlone, startApi, type TestApi } from './api.ts'
import { anyJson, awkwardText, damaged, takenBy } from './arbitrary.ts'
import { openDatasets } from './datasets.ts'

const config = { name: 'n', is_archived: false, min_value: null, max_value: 1, categories: null }
const configs = [
  { ...config, id: 'number', data_type: 'NUMERIC' },
  { ...config, id: 'category', data_type: 'CATEGORICAL', categories: [{ label: 'a', value: 1 }, { label: 2 }, 7] },
  { ...config, id: 'a', data_type: 'NUMBER' },
]

const dual = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }

let api: TestApi
beforeAll(async () => {
  api = await startApi({ relational: configsOnly(configs), env: dual })
})
afterAll(() => api[Symbol.asyncDispose]())

const maxMs = 10_000
async function inTime(to: TestApi, ...sent: Parameters<TestApi['send']>) {
  const late = new AbortController()
  const timeout = setTimeout(maxMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${sent[0]} ${sent[1]} ${JSON.stringify(sent[2])} has no response after ${maxMs} ms.`)
  })
  try {
    return await Promise.race([to.send(...sent), timeout])
  } finally {
    late.abort()
    timeout.catch(() => {})
  }
}

const both = (value: fc.Arbitrary<unknown>) => fc.oneof({ weight: 2, arbitrary: value }, damaged(value))
/** Generates values that also pass the refinements of `schema`. Without this filter, the API would refuse 49 of 50 scores. */
const passing = (schema: z.ZodType) => takenBy(schema).filter(value => schema.safeParse(value).success)

const eventOf = (made: (schema: z.ZodType) => fc.Arbitrary<unknown>) =>
  fc
    .constantFrom(...Object.entries(eventBodies))
    .chain(([type, body]) =>
      fc.record({ head: made(envelope), body: made(body) }).map(({ head, body }) => ({ ...(head as object), type, body })),
    )
const event = fc.oneof(both(eventOf(takenBy)), eventOf(passing))
const score = fc.oneof(both(takenBy(createScore)), passing(createScore))

const status = async (method: string, path: string, options: object) => {
  const answer = await inTime(api, method, path, options)
  expect(answer.status, `${method} ${path} ${JSON.stringify(options)} → ${answer.text}`).toBeLessThan(500)
  if (answer.status >= 400) expect(answer.json?.message, answer.text).toEqual(expect.any(String))
  return answer
}

const written = async () => (await api.events()).length + (await api.scores()).length

test('batches of events: one record per success', async () => {
  const batch = fc.record({ batch: fc.array(fc.oneof({ weight: 6, arbitrary: event }, anyJson), { maxLength: 8 }) })
  const before = await written()
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(batch, fc.boolean(), async (body, alone) => {
      const { status: code, json } = await status('POST', '/api/public/ingestion', {
        body,
        ...(alone && { authorization: publicKeyAlone }),
      })
      expect(code).toBe(207)
      expect(json.successes.length + json.errors.length).toBeLessThanOrEqual(body.batch.length)
      for (const error of json.errors) expect(error).toMatchObject({ id: expect.any(String), message: expect.any(String) })
      for (const error of json.errors) expect(error.status).toBeLessThan(500)
      accepted += json.successes.length
    }),
    { numRuns: sized(60, 15) },
  )
  expect((await written()) - before).toBe(accepted)
  expect(accepted).toBeGreaterThan(0)
})

test('single scores and arrays: one record per accepted id', async () => {
  const before = await written()
  let expected = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(score, fc.array(score, { maxLength: 6 })), async body => {
      const { status: code, json } = await status('POST', '/api/public/scores', { body })
      if (code === 200) expected++
      if (code !== 202 && code !== 207) return
      const sent = body as readonly { readonly id?: string | null }[]
      const refused = new Set((json.errors as readonly { readonly index: number }[] | undefined)?.map(({ index }) => index))
      const accepted = sent.filter((_, at) => !refused.has(at))
      if (code === 207) expect(json).toMatchObject({ accepted: accepted.length, rejected: sent.length - accepted.length })
      // If several scores have the same id, only the last score is stored. A score without an id gets a new id.
      expected += new Set(accepted.map(({ id }, at) => id || at)).size
    }),
    { numRuns: sized(60, 15) },
  )
  expect((await written()) - before).toBe(expected)
  expect(expected).toBeGreaterThan(0)
})

test('single writes of the legacy API', async () => {
  const write = fc.constantFrom(...Object.values(legacy)).chain(route => both(takenBy(route.body!)).map(body => ({ route, body })))
  await fc.assert(
    fc.asyncProperty(write, async ({ route, body }) => {
      const { status: code, json } = await status(route.method, route.path, { body })
      if (code === 200) expect(json).toEqual({ id: expect.any(String) })
      if (code === 400)
        expect(json.error[0]).toMatchObject({ code: expect.any(String), message: expect.any(String), path: expect.any(Array) })
    }),
    { numRuns: sized(60, 15) },
  )
})

test('queries of scores, and deletions', async () => {
  const keys = Object.keys(scoreQuery.shape)
  const value = fc.oneof(
    awkwardText,
    fc.constantFrom('NUMERIC', 'boolean,TEXT', 'core,details', '1,2', 'a,b', '50', new Date().toISOString()),
  )
  const query = fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...keys) }, awkwardText), value), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(query, async pairs => {
      const text = new URLSearchParams(pairs.map(([key, value]): [string, string] => [key.toWellFormed(), value.toWellFormed()]))
      await status('GET', `/api/public/v3/scores?${text}`, {})
    }),
    { numRuns: sized(60, 15) },
  )
  await fc.assert(
    fc.asyncProperty(awkwardText, async id => {
      await status('DELETE', `/api/public/scores/${encodeURIComponent(id.toWellFormed())}`, {})
    }),
    { numRuns: 20 },
  )
})

test('run items, on a real store: one record per accepted item, and none on events_only', async () => {
  await using datasets = await openDatasets()
  const { runName, datasetItemId, ...rest } = CreateDatasetRunItemRequest.shape
  const body = fc
    .record({
      runName: takenBy(runName),
      datasetItemId: fc.constantFrom('item-1', 'item-2', 'item-gone', '\0'),
      rest: takenBy(z.object(rest)),
    })
    .map(({ rest, ...named }) => ({ ...named, ...(rest as object) }))
  for (const env of [dual, {}]) {
    await using own = await startApi({ env, relational: datasets.store })
    let stored = 0
    await fc.assert(
      fc.asyncProperty(both(body), async sent => {
        const { status: code, json, text } = await inTime(own, 'POST', '/api/public/dataset-run-items', { body: sent })
        expect([200, 400, 404], text).toContain(code)
        if (code === 200) expect(json).toMatchObject({ id: expect.any(String), datasetRunId: expect.any(String) })
        if (code === 200) stored++
      }),
      { numRuns: sized(80, 20) },
    )
    expect(stored).toBeGreaterThan(0)
    expect(await own.runItems()).toHaveLength(env === dual ? stored : 0)
    expect(own.logLines.filter(line => line.includes('defect'))).toEqual([])
  }
})

test('deletions of traces and writes of projects, on a real store: every acknowledged id is recorded and has a command', async () => {
  await using datasets = await openDatasets()
  await using own = await startApi({ relational: datasets.store })
  const send = async (method: string, path: string, options: object) => {
    const answer = await inTime(own, method, path, options)
    expect(answer.status, `${method} ${path} ${JSON.stringify(options)} → ${answer.text}`).toBeLessThan(500)
    return answer
  }
  const asked = new Set<string>()
  await fc.assert(
    fc.asyncProperty(both(takenBy(DeleteTracesRequest)), awkwardText, async (body, id) => {
      if ((await send('DELETE', '/api/public/traces', { body })).status === 200) {
        for (const each of (body as { traceIds: string[] }).traceIds) asked.add(each.toWellFormed())
      }
      const name = id.toWellFormed()
      if ((await send('DELETE', `/api/public/traces/${encodeURIComponent(name)}`, {})).status === 200) asked.add(name)
    }),
    { numRuns: sized(60, 15) },
  )
  const possible = [...asked].filter(id => id !== '' && id.length <= 800).sort()
  const noted: unknown[] = []
  for await (const batch of readDeletions(instance(datasets.store))) noted.push(...batch.map(({ traceId }) => traceId))
  expect(noted.sort()).toEqual(possible)
  expect([...new Set((await own.commands()).map(command => command!.traceId))].sort()).toEqual(possible)

  await fc.assert(
    fc.asyncProperty(both(takenBy(CreateProjectRequest)), awkwardText, async (body, id) => {
      const at = `/api/public/projects/${encodeURIComponent(id.toWellFormed())}`
      await send('POST', '/api/public/projects', { authorization: organizationKey, body })
      await send('PUT', id === '' ? '/api/public/projects/project-0' : at, { authorization: organizationKey, body })
    }),
    { numRuns: sized(60, 15) },
  )
  expect(own.logLines.filter(line => line.includes('defect'))).toEqual([])
})

test('random bytes, media types and paths', async () => {
  const path = fc.constantFrom(
    '/api/public/scores',
    '/api/public/ingestion',
    '/api/public/spans',
    '/api/public/traces',
    '/api/public/projects',
    '/api/public/nothing',
    '//',
    '/*',
    '/api/public/scores/%',
  )
  const type = fc.constantFrom('application/json', 'application/json; charset=x', 'text/plain', 'json', ';', 'application/vnd.a+json')
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    anyJson.map(value => Buffer.from(JSON.stringify(value))),
  )
  const method = fc.constantFrom('POST', 'PATCH', 'DELETE', 'PUT')
  await fc.assert(
    fc.asyncProperty(method, path, type, body, async (verb, at, media, bytes) => {
      await status(verb, at, { body: bytes, headers: { 'content-type': media } })
    }),
    { numRuns: sized(60, 15) },
  )
  expect(api.logLines.filter(line => line.includes('defect'))).toEqual([])
})

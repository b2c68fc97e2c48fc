// No request gets a 5xx, on any route of any write mode, whatever stands in its path, query, headers and body. Routes are asked for, not listed: one that
// is added is among them.
import { writeModes } from '@svc-server/modes/write-mode'
import { createKeyStore } from '@svc-server/relational/key-store'
import type { KeyStore } from '@svc-server/relational/key-types'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routesOf } from '../src/routes/index.ts'
import { deleteTraces } from '../src/schemas/delete-traces.ts'
import { eventBodies } from '../src/schemas/events.ts'
import { projectBody } from '../src/schemas/project.ts'
import { createRunItem } from '../src/schemas/run-item.ts'
import { createScore } from '../src/schemas/score.ts'
import { basic, startApi } from './api.ts'
import { anyJson, awkwardText, damaged, takenBy } from './arbitrary.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'

let datasets: OpenedDatasets
let keys: KeyStore
let authorizations: readonly (string | null)[]
beforeAll(async () => {
  datasets = await openDatasets()
  keys = createKeyStore(datasets.store, { salt: 'a-salt-of-sixteen-characters' })
  const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId: 'project-0' } })
  const organization = await keys.createKeyPair({ owner: { orgId: 'org' } })
  const project = basic(publicKey, secretKey)
  const others = [
    basic(organization.publicKey, organization.secretKey),
    `Bearer ${publicKey}`,
    null,
    basic(publicKey, 'wrong'),
    'Basic %',
    'Bearer ',
  ]
  authorizations = [project, project, project, ...others]
})
afterAll(() => datasets[Symbol.asyncDispose]())

/** Answers every question with itself: routes are made, and none is called. */
const nothing: unknown = new Proxy(() => nothing, { get: (_, key) => (key === Symbol.iterator ? [][Symbol.iterator] : nothing) })
const routesIn = (writeMode: (typeof writeModes)[number]) =>
  routesOf(
    new Proxy({} as Parameters<typeof routesOf>[0], {
      get: (_, key) => (key === 'writeMode' ? writeMode : key === 'brandAliases' ? [] : nothing),
    }),
  )

const schemas = [deleteTraces, projectBody, createRunItem, createScore, ...Object.values(eventBodies)]
const wellMade = fc.constantFrom(...schemas).chain(takenBy)
const body = fc.oneof(
  anyJson,
  wellMade,
  damaged(wellMade),
  fc.array(wellMade, { maxLength: 3 }),
  fc.record({ batch: fc.array(anyJson, { maxLength: 3 }) }),
  awkwardText,
)
const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('doomed', 'a', '..', '%', 'x'.repeat(1_000)) }, awkwardText)
const headers = fc.constantFrom(
  {},
  {},
  { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '2.60.10' },
  { 'content-type': 'text/plain' },
  { 'content-encoding': 'gzip' },
)
const request = fc.record({
  params: fc.array(text, { minLength: 3, maxLength: 3 }),
  query: fc.array(fc.tuple(text, text), { maxLength: 3 }),
  body,
  who: fc.nat(),
  headers,
})

const forNothing = { params: ['a', 'a', 'a'], query: [] as [string, string][], body: {} as unknown, headers: {} }

/** A path that a client can put on the wire. */
const encoded = (value: string) => encodeURIComponent(value.toWellFormed())

test.each(writeModes)('every route in %s', async writeMode => {
  const env = {
    SVC_MIGRATION_V4_WRITE_MODE: writeMode,
    ...(writeMode !== 'events_only' && {
      SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
      SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
    }),
  }
  const doomed = `doomed-${writeMode.replace('_', '-')}`
  await keys.createProject({ id: doomed, orgId: 'org', name: doomed })
  await using api = await startApi({ env, relational: datasets.store, keys })
  const routes = routesIn(writeMode)
  expect(routes.length).toBeGreaterThan(15)
  const statuses = new Set<number>()
  for (const { method, path } of routes) {
    await fc.assert(
      fc.asyncProperty(request, async ({ params, query, body, who, headers }) => {
        let at = 0
        const filled = path.replaceAll(/:\w+/g, () => encoded(params[at++]!.replace('doomed', doomed)) || 'a')
        const target =
          query.length === 0 ? filled : `${filled}?${query.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&')}`
        const sent = { headers, authorization: authorizations[who % authorizations.length] ?? null }
        const answer = await api.send(method, target, { ...sent, ...(method !== 'GET' && { body }) })
        expect(answer.status, `${method} ${target} ${JSON.stringify(sent)} ${JSON.stringify(body)} → ${answer.text}`).toBeLessThan(500)
        if (answer.status >= 400)
          expect(answer.json?.message, `${method} ${target} → ${answer.status} ${answer.text}`).toEqual(expect.any(String))
        statuses.add(answer.status)
      }),
      // With every key, once, for something that is not there: what these are answered with is not left to chance.
      { numRuns: 25, examples: authorizations.map((_, who): [typeof forNothing & { who: number }] => [{ ...forNothing, who }]) },
    )
  }
  expect([...statuses]).toEqual(expect.arrayContaining([400, 401, 403, 404]))
  expect(api.logLines.filter(line => line.includes('defect'))).toEqual([])
  expect(api.broken).toEqual([])
})

// The API has only one worker thread in these tests, so large bodies have to wait.
import { createKeyStore } from '@svc-server/relational/key-store'
import type { KeyStore } from '@svc-server/relational/key-types'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { basic, startApi, type TestApi } from './api.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'

let datasets: OpenedDatasets
let api: TestApi
let project: string
let organization: string
beforeAll(async () => {
  datasets = await openDatasets()
  const keys: KeyStore = createKeyStore(datasets.store, { salt: 'a-salt-of-sixteen-characters' })
  const ofProject = await keys.createKeyPair({ owner: { projectId: 'project-0' } })
  const ofOrganization = await keys.createKeyPair({ owner: { orgId: 'org' } })
  project = basic(ofProject.publicKey, ofProject.secretKey)
  organization = basic(ofOrganization.publicKey, ofOrganization.secretKey)
  api = await startApi({ keys, relational: datasets.store, env: { SVC_MIGRATION_V4_WRITE_MODE: 'dual' } })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await datasets[Symbol.asyncDispose]()
})

/** The member names of this body contain escapes. Parsing therefore takes longer than for other bodies of this size. */
const slow = `{${Array.from({ length: 30_000 }, (_, index) => `"\\u0061${index}\\u0062":${index}`).join(',')}}`
const bodies: readonly (readonly [string, string, () => string, string])[] = [
  ['POST', '/api/public/dataset-run-items', () => project, `{"runName":"r","datasetItemId":"i","traceId":"t","metadata":${slow}}`],
  ['DELETE', '/api/public/traces', () => project, `{"traceIds":["t"],"more":${slow}}`],
  ['POST', '/api/public/scores', () => project, `{"name":"n","value":1,"traceId":"t","metadata":${slow}}`],
  ['POST', '/api/public/spans', () => project, `{"name":"n","metadata":${slow}}`],
  ['POST', '/api/public/ingestion', () => project, `{"batch":[],"metadata":${slow}}`],
]

test.each(bodies)('%s %s', async (method, path, authorization, body) => {
  const sending = Array.from({ length: 3 }, () => api.send(method, path, { authorization: authorization(), body }))
  await vi.waitFor(async () => expect(await api.metric('svc_api_worker_queue_jobs')).toBeGreaterThan(0), { timeout: 60_000, interval: 1 })
  for (const { status } of await Promise.all(sending)) expect([200, 202, 207, 400, 404]).toContain(status)
})

test('project metadata above 64 KiB are refused with 413', async () => {
  const body = { name: 'more', metadata: { text: 'x'.repeat(64 * 1024) } }
  const { status, json } = await api.send('POST', '/api/public/projects', { authorization: organization, body })
  expect([status, json.message]).toEqual([413, expect.stringContaining('65536 bytes')])
})

// Builds requests only from each operation's definition, so these tests cover new operations without a change of the tests.
import type { Operation } from '@svc-server/api/operation'
import { operations } from '@svc-server/api/operations'
import { writeModes } from '@svc-server/modes/write-mode'
import { createKeyStore } from '@svc-server/relational/key-store'
import type { KeyStore } from '@svc-server/relational/key-types'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { handlers } from '../src/operations/index.ts'
import { basic, startApi, type TestApi } from './api.ts'
import { anyJson, awkwardText, damaged, takenBy } from './arbitrary.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'

let datasets: OpenedDatasets
let keys: KeyStore
/** The credentials by their type. */
let credentials: Readonly<Record<'project' | 'organization' | 'publicKey' | 'wrong', string>>
beforeAll(async () => {
  datasets = await openDatasets()
  keys = createKeyStore(datasets.store, { salt: 'a-salt-of-sixteen-characters' })
  const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId: 'project-0' } })
  const organization = await keys.createKeyPair({ owner: { orgId: 'org' } })
  credentials = {
    project: basic(publicKey, secretKey),
    organization: basic(organization.publicKey, organization.secretKey),
    publicKey: `Bearer ${publicKey}`,
    wrong: basic(publicKey, 'wrong'),
  }
})
afterAll(() => datasets[Symbol.asyncDispose]())

const served = handlers.map(({ operation }) => operation)
const envOf = (writeMode: (typeof writeModes)[number]) => ({
  SVC_MIGRATION_V4_WRITE_MODE: writeMode,
  ...(writeMode !== 'events_only' && {
    SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: writeMode === 'legacy' ? 'false' : 'true',
  }),
})

test('every served operation has one handler, and every handler a listed operation', () => {
  const ids = served.map(({ id }) => id)
  expect([...ids].sort()).toEqual(
    operations
      .filter(({ servedBy }) => servedBy === 'public-api')
      .map(({ id }) => id)
      .sort(),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test('the description of every published column store read includes waitFor', () => {
  const published = handlers.filter(({ operation }) => operation.surface !== 'private')
  const reads = published.filter(({ queue, operation }) => queue !== undefined && operation.method === 'GET')
  expect(reads.map(({ operation }) => operation.id).sort()).toEqual(
    published
      .filter(({ operation }) => operation.waits)
      .map(({ operation }) => operation.id)
      .sort(),
  )
})

const pathOf = ({ path }: Operation, value: string) => path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(value))
/** Fills in the parameters of a path. A parameter that must be a number gets 1. Any other parameter gets `unknown`. */
const validPathOf = ({ path, params }: Pick<Operation, 'path' | 'params'>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (params.shape[name]!.safeParse('unknown').success ? 'unknown' : '1'))
const instanceKey = 'an-instance-key-of-tests'
const ownPage = { 'x-svc-ui': '1', 'sec-fetch-site': 'same-origin' }
const hasParameters = ({ path }: Operation) => path.includes('{')

/** Maps an error family to the field with the message (contract §19.1). */
const saidIn: Readonly<Record<string, string>> = { error: 'error', scim: 'detail' }

/** Maps an error family to the additional fields of a response with status 405. */
const methodRefusals: Readonly<Record<string, object>> = {
  structured: { code: 'method_not_allowed' },
  scim: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], detail: 'Method not allowed', status: 405 },
}

/** Matches texts that no response may contain. */
const leak = /SELECT |FROM [a-z_]+ |DB::Exception|node_modules|\.ts:\d+|postgres|relation "/

let api: TestApi
beforeAll(async () => {
  api = await startApi({ env: { ...envOf('dual'), ADMIN_API_KEY: instanceKey }, relational: datasets.store, keys })
})
afterAll(async () => {
  expect(api.logLines.filter(line => line.includes('defect'))).toEqual([])
  expect(api.broken).toEqual([])
  await api[Symbol.asyncDispose]()
})

test.for(served.map(operation => [operation.id, operation] as const))('%s', async ([, operation]) => {
  const { method, auth } = operation
  const target = validPathOf(operation)
  const ask = async (authorization: string | null, options: object = {}, at = target) => {
    const answer = await api.send(method, at, { authorization, ...(operation.body !== undefined && { body: {} }), ...options })
    expect(answer.status, `${method} ${at} → ${answer.text}`).toBeLessThan(500)
    expect(answer.text).not.toMatch(leak)
    return answer
  }
  const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status

  const other = await api.send('TRACE', target, { authorization: null })
  expect([other.status, other.headers['allow']]).toEqual([405, expect.stringContaining(method)])
  const common = { message: 'Method not allowed', error: 'MethodNotAllowedError' }
  expect(other.json).toEqual({ ...common, ...methodRefusals[operation.family] })
  if (auth === 'open') return

  // A browser opens a sign-in path without a session.
  if (auth === 'browser' && method === 'GET') {
    expect([200, 302, 404]).toContain(await statusOf(null))
    return
  }

  // For these operations, the API accepts changes only from a page of the web app. `sessions.test.ts` tests requests from other pages.
  if (auth === 'browser' || auth === 'session' || operation.surface === 'private') {
    expect(await statusOf(credentials.project)).toBe(method === 'GET' ? 401 : 403)
    expect(await statusOf(null, { headers: ownPage })).toBe(auth === 'browser' ? 400 : 401)
    return
  }

  // The API checks the credentials (401, 403) before anything else.
  expect(await statusOf(null)).toBe(401)
  expect(await statusOf(credentials.wrong)).toBe(401)
  const owns = { organization: credentials.organization, instance: `Bearer ${instanceKey}` }
  const own = auth === 'organization' || auth === 'instance' ? owns[auth] : credentials.project
  if (auth === 'instance') expect(await statusOf(credentials.organization)).toBe(401)
  else {
    expect(await statusOf(auth === 'organization' ? credentials.project : credentials.organization)).toBe(403)
    if (auth !== 'projectOrPublicKey') expect(await statusOf(credentials.publicKey)).toBe(403)
  }

  // The API does not know these ids. It must respond to each of them with a status below 500 (see `ask`).
  if (hasParameters(operation)) {
    for (const id of ['x'.repeat(2_000), '\0', '\u{1f600}', '..', '%']) await ask(own, {}, pathOf(operation, id))
    // The body is valid. Otherwise, the request would not reach the handler.
    const bodies = operation.body === undefined ? [undefined] : fc.sample(takenBy(operation.body), sized(10, 4))
    for (const [name] of operation.path.matchAll(/\{\w+\}/g)) {
      const [before, after] = operation.path.split(name) as [string, string]
      const at = `${validPathOf({ ...operation, path: before })}%00${validPathOf({ ...operation, path: after })}`
      for (const body of bodies) await ask(own, body === undefined ? {} : { body }, at)
    }
  }
  const strict = operation.query._zod.def as { readonly catchall?: unknown }
  if (strict.catchall !== undefined) expect(await statusOf(own, {}, `${target}?nobody-knows=1`)).toBe(400)
  const manyKeys = Array.from({ length: 2_000 }, (_, at) => `k${at}=1`).join('&')
  await ask(own, {}, `${target}?${manyKeys}`)

  if (operation.body === undefined) return
  for (const body of ['', '{', 'null', '[', '"text"', Buffer.from([0xff, 0xfe]), '['.repeat(200), '{"__proto__":{"a":1}}']) {
    const { status, json } = await ask(own, { body })
    if (status >= 400) expect(json).toMatchObject({ [saidIn[operation.family] ?? 'message']: expect.any(String) })
  }
  expect(await statusOf(own, { body: '{' })).toBe(400)
  expect(await statusOf(own, { body: 'a', headers: { 'content-type': 'text/plain' } })).toBe(415)
  expect(await statusOf(own, { body: Buffer.alloc(operation.maxBodyBytes + 1, 0x20) })).toBe(413)
})

const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('doomed', 'a', '..', '%', 'x'.repeat(1_000)) }, awkwardText)
const headers = fc.constantFrom({}, {}, { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '2.60.10' }, { 'content-encoding': 'gzip' })
const bodyFor = ({ body }: Operation) => {
  if (body === undefined) return fc.constant(undefined)
  const made = takenBy(body)
  return fc.oneof({ weight: 3, arbitrary: made }, { weight: 2, arbitrary: damaged(made) }, anyJson, awkwardText)
}
const encoded = (value: string) => encodeURIComponent(value.toWellFormed())
const keysOf = ({ query }: Operation) => Object.keys((query as unknown as { readonly shape: object }).shape)

test.each(writeModes)('no request of any form gets a 5xx in %s', async writeMode => {
  const doomed = `doomed-${writeMode.replace('_', '-')}`
  await keys.createProject({ id: doomed, orgId: 'org', name: doomed })
  await using api = await startApi({ env: envOf(writeMode), relational: datasets.store, keys })
  const authorizations = [credentials.project, credentials.project, credentials.organization, credentials.publicKey, null]
  for (const operation of served) {
    const { method, path } = operation
    const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...keysOf(operation), 'a') }, text)
    const request = fc.record({
      params: fc.array(text, { minLength: 4, maxLength: 4 }),
      query: fc.array(fc.tuple(key, text), { maxLength: 3 }),
      body: bodyFor(operation),
      authorization: fc.constantFrom(...authorizations),
      headers,
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ params, query, body, authorization, headers }) => {
        let at = 0
        const filled = path.replaceAll(/\{\w+\}/g, () => encoded(params[at++]!.replace('doomed', doomed)) || 'a')
        const target =
          query.length === 0 ? filled : `${filled}?${query.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&')}`
        const answer = await api.send(method, target, { headers, authorization, ...(body !== undefined && { body }) })
        expect(answer.status, `${method} ${target} ${JSON.stringify(body)} → ${answer.text}`).toBeLessThan(500)
        if (answer.status >= 400) expect(answer.text).not.toMatch(leak)
      }),
      { numRuns: sized(25, writeMode === 'dual' ? 3 : 1) },
    )
  }
  expect(api.logLines.filter(line => line.includes('defect'))).toEqual([])
  expect(api.broken).toEqual([])
})

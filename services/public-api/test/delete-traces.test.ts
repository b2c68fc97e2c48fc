import { AppError } from '@svc-server/errors'
import { readDeletions } from '@svc-server/relational/deletions'
import { instance } from '@svc-server/relational/tenancy'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startApi } from './api.ts'
import { type OpenedDatasets, openDatasets } from './datasets.ts'

const path = '/api/public/traces'
const legacy = { SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
const modes = [
  {},
  { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' },
  { SVC_MIGRATION_V4_WRITE_MODE: 'legacy', ...legacy },
]

let opened: OpenedDatasets
let relational: OpenedDatasets['store']
beforeAll(async () => {
  opened = await openDatasets()
  relational = opened.store
})
afterAll(() => opened[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const table of ['pending_deletions', 'audit_logs'] as const) await relational.db.deleteFrom(table).execute()
})

async function noted() {
  const found = []
  for await (const batch of readDeletions(instance(relational))) found.push(...batch)
  return found.map(({ projectId, traceId, isDone }) => [projectId, traceId, isDone]).sort()
}

test.each(modes)('single and several traces are deleted in every write mode: %j', async env => {
  await using api = await startApi({ env, relational })
  const one = await api.send('DELETE', `${path}/a%2Fb`)
  expect([one.status, one.json]).toEqual([200, { message: 'Trace deleted successfully' }])
  const several = await api.send('DELETE', path, { body: { traceIds: ['a/b', 'c', 'c', 'nul\0', ' '] } })
  expect([several.status, several.json]).toEqual([200, { message: 'Traces deleted successfully' }])
  expect(await noted()).toEqual([' ', 'a/b', 'c', 'nul\0'].map(id => ['project-0', id, false]).sort())
  const commands = (await api.commands()).filter(command => command !== null)
  expect(commands.map(({ traceId }) => traceId).sort()).toEqual([' ', 'a/b', 'a/b', 'c', 'nul\0'])
  const writeMode = env.SVC_MIGRATION_V4_WRITE_MODE ?? 'events_only'
  for (const command of commands) {
    expect(command).toMatchObject({ projectId: 'project-0', kind: 'delete_trace', value: null, writeMode })
    expect(Date.now() - command.acceptedAtMs).toBeLessThan(120_000)
  }
  const audit = relational.db
    .selectFrom('audit_logs')
    .select(['type', 'api_key_id', 'org_id', 'project_id', 'resource_type', 'resource_id', 'action'])
  const entry = {
    type: 'API_KEY',
    api_key_id: 'key-project',
    org_id: 'org',
    project_id: 'project-0',
    resource_type: 'trace',
    action: 'delete',
  }
  expect(await audit.orderBy('resource_id').execute()).toEqual(
    [' ', 'a/b', 'a/b', 'c', 'nul%00'].map(resource_id => ({ ...entry, resource_id })),
  )
  expect(await api.metric('svc_api_deletions_total', { what: 'trace' })).toBe(6)
})

test('a thousand traces are deleted in one request, and ids that no trace can have are ignored', async () => {
  await using api = await startApi({ relational })
  const traceIds = Array.from({ length: 998 }, (_, at) => `trace ${at}`)
  expect((await api.send('DELETE', path, { body: { traceIds: [...traceIds, '', 'x'.repeat(801)] } })).status).toBe(200)
  expect((await api.send('DELETE', `${path}/${'x'.repeat(801)}`)).status).toBe(200)
  expect((await noted()).map(([, id]) => id)).toEqual([...traceIds].sort())
  expect(await api.commands()).toHaveLength(998)
})

test.each<[string, unknown, string]>([
  ['no ids', { traceIds: [] }, 'At least 1 traceId is required.'],
  ['too many', { traceIds: Array.from({ length: 1_001 }, String) }, 'Cannot specify more than 1000 traces in a single request.'],
  ['another key', { traceIds: ['a'], more: 1 }, 'more'],
  ['no list', { traceIds: 'a' }, 'array'],
  ['a number', { traceIds: ['a', 1] }, 'string'],
  ['nothing', {}, 'array'],
])('an invalid body gets 400 and deletes nothing: %s', async (_, body, sentence) => {
  await using api = await startApi({ relational })
  const answer = await api.send('DELETE', path, { body })
  expect([answer.status, answer.json.message]).toEqual([400, 'Invalid request data'])
  expect(JSON.stringify(answer.json.error)).toContain(sentence)
  expect([await noted(), await api.commands()]).toEqual([[], []])
})

test('a log that does not respond causes a 503; the deletion stays recorded, and a retry completes it', async () => {
  let down = true
  await using api = await startApi({
    relational,
    log: real => ({
      append: async (topic, records) => {
        if (down) throw new AppError('log_unavailable', 'down')
        return real.append(topic, records)
      },
    }),
  })
  expect((await api.send('DELETE', `${path}/a`)).status).toBe(503)
  expect([await noted(), await api.commands()]).toEqual([[['project-0', 'a', false]], []])
  down = false
  expect((await api.send('DELETE', `${path}/a`)).status).toBe(200)
  expect([await noted(), (await api.commands()).length]).toEqual([[['project-0', 'a', false]], 1])
})

test('a relational store that does not respond causes a 503 and no command', async () => {
  const down = async () => {
    throw new AppError('relational_unavailable', 'The relational store did not respond.')
  }
  const db = { transaction: () => ({ execute: down }) } as unknown as OpenedDatasets['store']['db']
  await using api = await startApi({ relational: { db, ping: down } })
  const { status, json } = await api.send('DELETE', `${path}/a`)
  const message = 'The relational store did not respond. Send the same request again.'
  expect([status, json]).toEqual([503, { message, error: 'ServiceUnavailableError' }])
  expect((await api.send('DELETE', `${path}/a`)).status).toBe(503)
  const warnings = api.logLines.filter(line => line.includes('Requests get 503 because a store does not respond'))
  expect(warnings).toEqual([expect.stringContaining('relational_unavailable')])
  expect(await api.commands()).toEqual([])
})

test('a deletion in a deleted project gets 200 and is not recorded', async () => {
  await using api = await startApi({
    relational,
    keys: { verify: async () => gone, pairOf: () => ({ publicKey: 'pk', secretKey: 'sk' }) } as never,
  })
  expect((await api.send('DELETE', `${path}/a`)).status).toBe(200)
  expect([await noted(), await api.commands()]).toEqual([[], []])
})

const gone = { accessLevel: 'project', orgId: 'org', projectId: 'gone', apiKeyId: 'k', publicKey: 'pk-test' }

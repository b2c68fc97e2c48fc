import { createCipher } from '@svc-server/secrets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syncStatusOf } from '../src/operations/blob-storage-integrations/status.ts'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send = (method: string, path = '', body?: unknown) => opened.sendAsOrganization(method, `/integrations/blob-storage${path}`, body)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
const full = {
  projectId: 'project-0',
  type: 'S3_COMPATIBLE',
  bucketName: 'a-bucket',
  endpoint: 'https://buckets.example.com',
  region: 'eu-west-1',
  accessKeyId: 'AKIA',
  secretAccessKey: 'secret-in-clear',
  prefix: 'traces/',
  exportFrequency: 'every_20_minutes',
  enabled: true,
  forcePathStyle: true,
  fileType: 'PARQUET',
  exportMode: 'FROM_CUSTOM_DATE',
  exportStartDate: '2026-01-01T00:00:00.000Z',
  compressed: false,
  exportSource: 'OBSERVATIONS_V2',
  exportFieldGroups: ['core', 'io'],
}

test('an export is created with every field, read, replaced and deleted', async () => {
  const { secretAccessKey: _, ...shown } = full
  const made = await send('PUT', '', full)
  const view = {
    ...{
      ...shown,
      id: 'project-0',
      nextSyncAt: time,
      lastSyncAt: null,
      lastError: null,
      lastErrorAt: null,
      createdAt: time,
      updatedAt: time,
    },
  }
  expect([made.status, made.json]).toEqual([200, view])
  expect((await send('GET')).json).toEqual({ data: [made.json] })
  const status = await send('GET', '/project-0')
  expect(status.json).toEqual({
    ...{ id: 'project-0', projectId: 'project-0', syncStatus: 'queued', enabled: true },
    ...{ lastSyncAt: null, nextSyncAt: time, lastError: null, lastErrorAt: null },
  })

  const { db } = opened.store
  const row = await db.selectFrom('blob_storage_integrations').selectAll().executeTakeFirstOrThrow()
  expect(createCipher({ key: 'ab'.repeat(32) }).decrypt(row.secret_access_key!)).toBe('secret-in-clear')
  const dump = JSON.stringify([row, await db.selectFrom('audit_logs').selectAll().execute()])
  expect(dump).not.toContain('secret-in-clear')

  const { secretAccessKey, exportSource, exportFieldGroups, prefix, compressed, exportStartDate, ...required } = full
  const replaced = await send('PUT', '', { ...required, exportMode: 'FULL_HISTORY', enabled: false, fileType: 'CSV' })
  expect([replaced.status, replaced.json]).toMatchObject([
    200,
    { exportMode: 'FULL_HISTORY', exportStartDate: null, prefix: '', compressed: true, enabled: false, exportSource, exportFieldGroups },
  ])
  const kept = await db.selectFrom('blob_storage_integrations').selectAll().executeTakeFirstOrThrow()
  expect(kept.secret_access_key).toBe(row.secret_access_key)
  expect((await send('GET', '/project-0')).json.syncStatus).toBe('disabled')
  expect((await send('DELETE', '/project-0')).json).toEqual({ message: 'Blob storage integration successfully deleted' })
  expect((await send('DELETE', '/project-0')).json).toEqual({ message: 'Blob storage integration not found', error: 'SvcNotFoundError' })
  expect((await send('GET', '/project-0')).status).toBe(404)
  expect(await opened.audit('project-0')).toEqual(
    expect.arrayContaining(['create blobStorageIntegration', 'update blobStorageIntegration', 'delete blobStorageIntegration']),
  )
})

test('saving a failed export, or an export with a new mode, schedules a sync immediately', async () => {
  await send('PUT', '', full)
  const { db } = opened.store
  const past = new Date('2026-01-01')
  const set = { last_error: 'no access', last_error_at: past, last_sync_at: past, next_sync_at: new Date('2100-01-01') }
  await db.updateTable('blob_storage_integrations').set(set).execute()
  expect((await send('GET', '/project-0')).json).toMatchObject({ syncStatus: 'error', lastError: 'no access' })
  const retried = (await send('PUT', '', full)).json
  expect(retried).toMatchObject({ lastError: null, lastErrorAt: null, lastSyncAt: past.toISOString() })
  expect(Date.parse(retried.nextSyncAt)).toBeLessThanOrEqual(Date.now())
  const anew = (await send('PUT', '', { ...full, exportMode: 'FROM_TODAY' })).json
  expect([anew.lastSyncAt, anew.exportStartDate]).toEqual([null, time])
  expect((await send('PUT', '', { ...full, exportMode: 'FROM_TODAY' })).json.exportStartDate).toBe(anew.exportStartDate)
})

test('invalid exports are refused', async () => {
  await opened.store.db.deleteFrom('blob_storage_integrations').execute()
  const host = { type: 'S3', accessKeyId: null, secretAccessKey: null, endpoint: null }
  expect((await send('PUT', '', { ...full, ...host })).status).toBe(200)
  await opened.store.db.deleteFrom('blob_storage_integrations').execute()
  const wrong = [
    { type: 'AZURE_BLOB_STORAGE', bucketName: 'a--b' },
    { type: 'AZURE_BLOB_STORAGE', bucketName: 'Upper' },
    { type: 'GOOGLE_CLOUD_STORAGE', accessKeyId: null },
    { secretAccessKey: null },
    { endpoint: 'http://10.0.0.1' },
    { endpoint: 'https://buckets.internal' },
    { prefix: 'no-slash' },
    { exportStartDate: null },
    { exportStartDate: '2200-01-01T00:00:00Z' },
    { exportFieldGroups: ['io'] },
    { exportSource: null },
    { exportSource: 'LEGACY_TRACES_OBSERVATIONS' },
    { exportFrequency: 'monthly' },
    { bucketName: '' },
    { unknown: 1 },
  ]
  for (const more of wrong) expect((await send('PUT', '', { ...full, ...more })).status, JSON.stringify(more)).toBe(400)
  expect((await send('PUT', '', { ...full, projectId: 'nothing' })).json).toEqual({
    message: 'Project not found',
    error: 'SvcNotFoundError',
  })
  expect((await opened.send('GET', '/integrations/blob-storage')).status).toBe(403)
})

test('the first rule that applies determines the status', () => {
  const now = Date.parse('2026-06-01T12:00:00Z')
  const at = (ms: number) => new Date(now + ms)
  const facts = { enabled: true, lastError: null, runStartedAt: null, nextSyncAt: at(1), lastSyncAt: null }
  const hour = 3_600_000
  const cases = [
    [{ enabled: false, lastError: 'a', runStartedAt: at(0) }, 'disabled'],
    [{ lastError: 'a', runStartedAt: at(0) }, 'error'],
    [{ runStartedAt: at(-hour), nextSyncAt: at(-1) }, 'running'],
    [{ runStartedAt: at(-2 * hour), nextSyncAt: at(0) }, 'queued'],
    [{}, 'idle'],
    [{ lastSyncAt: at(-hour) }, 'up_to_date'],
  ] as const
  for (const [more, status] of cases) expect(syncStatusOf({ ...facts, ...more }, now), JSON.stringify(more)).toBe(status)
})

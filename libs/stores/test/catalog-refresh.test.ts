import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { createLogger } from '@svc-server/service/logs'
import { waitFor } from '@svc-server/testkit'
import { afterEach, expect, test } from 'vitest'
import { type CatalogRefresh, createCatalogRefresh } from '../src/relational/catalog-refresh.ts'

const logger = createLogger({ service: 'test', level: 'silent' })
const snapshot = (name: string) => catalogSnapshot({ models: [], prompts: [{ id: name, projectId: 'p', name, version: 1 }] })

let refresh: CatalogRefresh
afterEach(() => refresh.stop())

test('returns the newest snapshot, and the same object for unchanged content', async () => {
  let reads = 0
  let name = 'a'
  const load = async () => {
    reads++
    return snapshot(name)
  }
  refresh = createCatalogRefresh({ load, intervalMs: 1, logger })
  await refresh.start()
  const first = refresh.current()
  await waitFor(() => reads > 2, { what: 'a third read' })
  expect(refresh.current()).toBe(first)
  name = 'b'
  await waitFor(() => refresh.current().version === snapshot('b').version, { what: 'the new snapshot' })
})

test('keeps the last snapshot while the store is down, and reads again afterwards', async () => {
  let reads = 0
  let down = false
  const load = async () => {
    reads++
    if (down) throw new Error('down')
    return snapshot(String(reads))
  }
  refresh = createCatalogRefresh({ load, intervalMs: 1, logger })
  await refresh.start()
  down = true
  const seen = reads
  await waitFor(() => reads > seen + 2, { what: 'reads that fail' })
  const last = refresh.current().version
  down = false
  await waitFor(() => refresh.current().version !== last, { what: 'a read that works again' })
})

test('`start` rejects when the store is down', async () => {
  refresh = createCatalogRefresh({ load: () => Promise.reject(new Error('down')), intervalMs: 1, logger })
  await expect(refresh.start()).rejects.toThrow('down')
})

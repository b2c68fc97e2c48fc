import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ColumnStore } from '@svc-server/column-store/port'
import { expect, onTestFinished, test } from 'vitest'
import { examineColumnStore } from '../src/doctor/column-store.ts'
import { examineDataDirectory } from '../src/doctor/disk.ts'

async function dataDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-doctor-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  for (const store of ['log', 'column-store']) await mkdir(join(directory, store))
  return directory
}

const rooms = [
  [0, 'fault', '0 % of the disk of DIR is free (0 B).', 'now'],
  [4, 'fault', '4 % of the disk of DIR is free (4 B).', 'now'],
  [5, 'warning', '5 % of the disk of DIR is free (5 B).', 'a merge'],
  [20, 'ok', '20 % of the disk of DIR is free.', undefined],
] as const

test.each(rooms)('a data directory with %d %% free space on its disk is reported as %s', async (freeBytes, state, text, next) => {
  const directory = await dataDirectory()
  const says = text.replace('DIR', directory)
  const disks = { deviceOf: async () => 1, roomOn: async () => ({ freeBytes, totalBytes: 100 }) }
  expect(await examineDataDirectory(directory, disks)).toEqual([
    { area: 'data directory', state, says, ...(next !== undefined && { do: expect.stringContaining(next) }) },
  ])
})

test.each(['mounted from', 'a link to'])('a store that is %s a different disk has a separate finding', async how => {
  const directory = await dataDirectory()
  if (how === 'a link to') {
    await rename(join(directory, 'column-store'), join(directory, 'elsewhere'))
    await symlink(join(directory, 'elsewhere'), join(directory, 'column-store'))
  }
  const isFull = (path: string) => path.endsWith('column-store')
  const disks = {
    deviceOf: async (path: string) => (isFull(path) ? 2 : 1),
    roomOn: async (path: string) => ({ freeBytes: isFull(path) ? 0 : 50, totalBytes: 100 }),
  }
  expect(await examineDataDirectory(directory, disks)).toMatchObject([
    { state: 'ok' },
    { state: 'fault', says: `0 % of the disk of ${join(directory, 'column-store')} is free (0 B).` },
  ])
})

test('reports the free space of the real disk, and nothing without a data directory', async () => {
  expect(await examineDataDirectory(await dataDirectory())).toMatchObject([
    { says: expect.stringMatching(/^\d+ % of the disk of .+ is free/) },
  ])
  expect(await examineDataDirectory(undefined)).toEqual([])
})

test('disks of the column store have the same limits, and the disk of the embedded engine is reported once', async () => {
  const disk = { name: 'default', path: '/d/column-store/', free: '3', total: '100' }
  const query = async (sql: string) => (sql.includes('now64') ? [{ ms: '0' }] : sql.includes('disks') ? [disk] : [])
  const store = { identify: async () => ({ version: '26.4.1', startedAt: '' }), query } as unknown as ColumnStore
  const disksOf = async (directory?: string) =>
    (await examineColumnStore(store, { clustered: false, now: () => 0, dataDirectory: directory })).filter(({ says }) =>
      says.includes('disk'),
    )
  expect(await disksOf()).toMatchObject([{ state: 'fault', says: '3 % of disk default is free (3 B).' }])
  expect(await disksOf('/elsewhere')).toHaveLength(1)
  expect(await disksOf('/d')).toEqual([])
})

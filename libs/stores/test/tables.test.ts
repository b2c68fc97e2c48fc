import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { expect, test } from 'vitest'
import { migrateTables } from '../src/column-store/migrate-tables.ts'

const columnStore = (version: string, fail: () => Error): ColumnStore => ({
  database: 'svc',
  replicated: false,
  insert: () => Promise.reject(fail()),
  query: () => Promise.reject(fail()),
  queryBytes: () => Promise.reject(fail()),
  command: () => Promise.reject(fail()),
  ask: () => Promise.reject(fail()),
  update: () => Promise.reject(fail()),
  identify: async () => ({ version, startedAt: '1' }),
  close: async () => {},
})

const locks: string[] = []
const relational = {
  exclusive: async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    locks.push(name)
    return work()
  },
}

test.each(['24.8.4.13', '25.11.1'])('rejects ClickHouse %s and names the required version', async version => {
  const migrating = migrateTables(
    columnStore(version, () => new Error('never asked')),
    { clustered: false, relational },
  )
  await expect(migrating).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining('25.12 or newer') })
})

test.each(['25.12.1.1', '26.4.1', '26.7.2.1'])('migrates ClickHouse %s under the lock', async version => {
  locks.length = 0
  const gone = () => new AppError('column_store_unavailable', 'It went away.')
  const migrating = migrateTables(columnStore(version, gone), { clustered: false, relational })
  // After an error with this code, the caller retries the start. The retry can succeed, because the failure can be temporary.
  await expect(migrating).rejects.toMatchObject({ code: 'column_store_unavailable' })
  expect(locks).toEqual(['svc column store migrations'])
})

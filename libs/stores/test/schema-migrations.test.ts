import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { loadSettings } from '@svc-server/service/configuration'
import { expect, test } from 'vitest'
import { migrateTables } from '../src/column-store/migrate-tables.ts'
import { tables } from '../src/column-store/tables.ts'

const load = (env: Readonly<Record<string, string>>) =>
  loadSettings([tables.variables], env, { service: 'test', validate: tables.problems }).of(tables.variables)

test.each([
  ['clickhouse://store.example:9000', 'http://store.example:8123'],
  ['clickhouse://user:secret@store.example:9440/svc', 'https://store.example:8443'],
  ['tcp://store:9000?secure=true', 'https://store:8443'],
  ['store', 'http://store:8123'],
])('rejects COLUMNSTORE_MIGRATION_URL=%s and suggests the HTTP form', (native, http) => {
  const loading = () => load({ COLUMNSTORE_MIGRATION_URL: native })
  expect(loading).toThrow(`Migrations run over HTTP, at COLUMNSTORE_URL, for example ${http}.`)
  expect(loading).not.toThrow('secret')
})

test('rejects COLUMNSTORE_MIGRATION_SSL=true, but accepts false, which charts of v3 always set', () => {
  expect(() => load({ COLUMNSTORE_MIGRATION_SSL: 'true' })).toThrow('begin COLUMNSTORE_URL with https://')
  expect(load({ COLUMNSTORE_MIGRATION_SSL: 'false' })).toMatchObject({ migrationDisabled: false })
})

const relational = { exclusive: <T>(_: string, work: () => Promise<T>) => work() }

function emptyStore(commands: string[], fail?: Error): ColumnStore {
  return {
    database: 'svc',
    replicated: false,
    identify: async () => ({ version: '26.4.1', startedAt: '1' }),
    query: async sql => (fail !== undefined && sql.includes('enable_lightweight_update') ? Promise.reject(fail) : []),
    queryBytes: async () => new Uint8Array(),
    ask: async () => '1\n',
    command: async sql => void commands.push(sql),
    insert: () => Promise.reject(new Error('unused')),
    update: () => Promise.reject(new Error('unused')),
    close: async () => {},
  }
}

test('with SVC_AUTO_COLUMNSTORE_MIGRATION_DISABLED the error for outdated tables names the command, and no statement runs', async () => {
  const commands: string[] = []
  const refused = migrateTables(emptyStore(commands), { clustered: false, relational, apply: false })
  await expect(refused).rejects.toMatchObject({
    code: 'migration_failed',
    message: expect.stringMatching(/up 37, .*own up \d+\).*run svc migrate up/),
  })
  expect(commands).toEqual([])
  await migrateTables(emptyStore(commands), { clustered: false, relational })
  expect(commands).not.toEqual([])
})

test.each([
  [new AppError('column_store_query', 'Setting enable_lightweight_update should not be changed'), 'config_invalid'],
  [new AppError('column_store_unavailable', 'It went away.'), 'column_store_unavailable'],
])('COLUMNSTORE_USE_LIGHTWEIGHT_UPDATE fails the start when the user is not allowed to change the setting; %s', async (fail, code) => {
  const settings = loadSettings([tables.variables], { COLUMNSTORE_USE_LIGHTWEIGHT_UPDATE: 'true' }, { service: 'test' })
  const opening = tables.open(settings, { relational, columnStore: emptyStore([], fail) }, { logger: {} as never, process: 'test' })
  await expect(opening).rejects.toMatchObject({ code })
})

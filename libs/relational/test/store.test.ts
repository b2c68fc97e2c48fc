import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '@svc-server/dev-servers/postgres'
import { type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyStore } from '../src/keys/key-store.ts'
import { migrationNames } from '../src/store/migrations/migrate.ts'
import { openRelationalStore, type RelationalStore } from '../src/store/store.ts'
import { classify } from '../src/store/store-errors.ts'
import { prepareEmbeddedStore } from './stores.ts'

describe('the embedded store', () => {
  // All tests share one directory, because creating a store takes seconds. The last test makes the directory unusable.
  let directory: TemporaryDirectory
  let options: { readonly kind: 'embedded'; readonly directory: string }
  beforeAll(async () => {
    directory = await temporaryDirectory()
    options = { kind: 'embedded', directory: join(directory.path, 'pg') }
    await prepareEmbeddedStore(options.directory)
  })
  afterAll(() => directory.remove())

  test('keeps its data, migrates once, and rejects a second open within a process', async () => {
    const first = await openRelationalStore(options)
    const pair = await createKeyStore(first, { salt: 's' })
      .ensureProject({ orgId: 'o', projectId: 'p' })
      .then(() => createKeyStore(first, { salt: 's' }).createKeyPair({ owner: { projectId: 'p' } }))
    await expect(openRelationalStore(options)).rejects.toMatchObject({ code: 'data_dir_locked' })
    await first.close()

    const second = await openRelationalStore(options)
    await second.ping()
    expect(await createKeyStore(second, { salt: 's' }).verify(pair.publicKey, pair.secretKey)).toMatchObject({ projectId: 'p' })
    const { rows } = await sql<{ name: string }>`select name from svc_migrations`.execute(second.db)
    expect(rows.map(row => row.name)).toEqual(migrationNames)
    // The default of 128 MB would use a large part of a small machine's memory.
    expect((await sql`show shared_buffers`.execute(second.db)).rows).toEqual([{ shared_buffers: '16MB' }])
    await second.close()
  })

  describe('while it is open', () => {
    let store: RelationalStore
    beforeAll(async () => {
      store = await openRelationalStore(options)
    })
    afterAll(() => store.close())

    test('other queries wait for a running transaction and are not part of it', async () => {
      const begun = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      const rolledBack = store.db.transaction().execute(async transaction => {
        await transaction.insertInto('organizations').values({ id: 'inside', name: 'x' }).execute()
        begun.resolve()
        await goOn.promise
        throw new Error('roll back')
      })
      await begun.promise
      const outside = store.db.insertInto('organizations').values({ id: 'outside', name: 'x' }).execute()
      goOn.resolve()
      await expect(rolledBack).rejects.toThrow('roll back')
      await outside
      const rows = await store.db.selectFrom('organizations').select('id').where('name', '=', 'x').execute()
      expect(rows).toEqual([{ id: 'outside' }])
    })

    test('F53 · a long query does not block the event loop', async () => {
      let turns = 0
      let running = true
      const count = () => {
        turns++
        if (running) setImmediate(count)
      }
      count()
      await sql`select sum(n) from generate_series(1, 1000000) as n`.execute(store.db)
      running = false
      // If the store blocked the event loop, the loop would complete only a few iterations.
      expect(turns).toBeGreaterThan(100)
    })
  })

  test('a closed store fails with relational_unavailable', async () => {
    const store = await openRelationalStore(options)
    await store.close()
    await expect(store.ping()).rejects.toMatchObject({ code: 'relational_unavailable' })
    await expect(createKeyStore(store, { salt: 's' }).verify('pk', 'sk-svc-12345678')).rejects.toMatchObject({
      code: 'relational_unavailable',
    })
  })

  test('rejects a newer schema, and a path that is not a directory', async () => {
    const store = await openRelationalStore(options)
    await sql`insert into svc_migrations (name, timestamp) values ('9999-future', '')`.execute(store.db)
    await store.close()
    await expect(openRelationalStore(options)).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringContaining('9999-future'),
    })

    const file = join(directory.path, 'file')
    await writeFile(file, '')
    await expect(openRelationalStore({ kind: 'embedded', directory: file })).rejects.toMatchObject({ code: 'relational_unavailable' })
  })
})

describe('a PostgreSQL server', () => {
  let server: PostgresServer
  let options: { readonly kind: 'postgres'; readonly url: string }
  beforeAll(async () => {
    server = await startPostgres()
    options = { kind: 'postgres', url: server.url }
  })
  afterAll(() => server.stop())

  test('is migrated only once by replicas that start at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openRelationalStore(options)))
    const { rows } = await sql<{ n: string }>`select count(*) as n, count(distinct name) as names from svc_migrations`.execute(
      stores[0]!.db,
    )
    expect(rows).toEqual([{ n: expect.stringMatching(/^[1-9]/), names: rows[0]!.n }])
    await Promise.all(stores.map(store => store.close()))
  })

  test('exclusive lets only one process at a time run work with the same name', async () => {
    const [first, second] = [await openRelationalStore(options), await openRelationalStore(options)]
    const order: string[] = []
    const goOn = Promise.withResolvers<void>()
    const held = first.exclusive('a test', async () => {
      order.push('first begins')
      await goOn.promise
      order.push('first ends')
    })
    await waitFor(() => order.length === 1, { what: 'the first to begin' })
    const waiting = second.exclusive('a test', async () => void order.push('second'))
    expect(await second.exclusive('another test', async () => 'is not held back')).toBe('is not held back')
    goOn.resolve()
    await Promise.all([held, waiting])
    expect(order).toEqual(['first begins', 'first ends', 'second'])
    await expect(first.exclusive('a test', () => Promise.reject(new Error('of the work')))).rejects.toThrow('of the work')
    await first.close()
    await second.close()
  })

  test('fails with relational_unavailable from its kill until its restart', async () => {
    const store = await openRelationalStore(options)
    await store.ping()
    await server.kill()
    // A session of a killed PostgreSQL server can still respond for a moment, so the test repeats the ping until it fails.
    expect(await firstFailureOf(() => store.ping())).toMatchObject({ code: 'relational_unavailable' })
    await server.restart()
    await waitFor(() => store.ping().then(() => true), { what: 'the store to answer again' })
    await store.close()
  })
})

async function firstFailureOf(work: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      return error
    }
  }
}

test('a missing PostgreSQL server fails with relational_unavailable', async () => {
  const opening = openRelationalStore({ kind: 'postgres', url: 'postgres://svc:hunter2@127.0.0.1:1/svc' })
  await expect(opening).rejects.toMatchObject({ code: 'relational_unavailable' })
  await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') })
})

describe('errors', () => {
  test.each(['ECONNREFUSED', '08006', '57P01', '53300', '40001', '25006', '28P01', '3D000'])('%s is transient', code => {
    expect(classify(Object.assign(new Error('x'), { code }))).toMatchObject({ code: 'relational_unavailable' })
  })

  test.each(['timeout exceeded when trying to connect', 'Connection terminated unexpectedly', 'Query read timeout'])(
    '"%s" is transient',
    message => {
      expect(classify(new Error(message))).toMatchObject({ code: 'relational_unavailable' })
    },
  )

  test.each([
    ['23505', 'other', 'conflict'],
    ['23503', 'other', 'reference_missing'],
    ['23503', 'delete', 'still_referenced'],
    ['23001', 'delete', 'still_referenced'],
  ] as const)('classifies %s of a statement of kind %s as %s, with the name of the constraint', (code, statement, expected) => {
    const error = Object.assign(new Error('x'), { code, constraint: 'the_key', table: 'things' })
    expect(classify(error, statement)).toMatchObject({ code: expected, params: { constraint: 'the_key', table: 'things' }, cause: error })
  })

  test.each(['42P01', '22021', '23514', 'ERR_INVALID_ARG_TYPE'])('%s is a defect', code => {
    const error = Object.assign(new Error('x'), { code })
    expect(classify(error)).toBe(error)
  })
})

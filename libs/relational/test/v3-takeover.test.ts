import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { loadCatalogSnapshot } from '../src/catalog/load-catalog.ts'
import { createKeyStore } from '../src/keys/key-store.ts'
import { migrationNames } from '../src/store/migrations/migrate.ts'
import { migrateRelational, openRelationalStore, type PostgresOptions, pendingRelational } from '../src/store/store.ts'
import { instance } from '../src/tenancy/handles.ts'
import { formerSchema, newDatabase, type TestDatabase, v3FastHash, v3Schema } from './v3-database.ts'

// The code must read v3's times as UTC. The time zone of this process must not matter.
process.env['TZ'] = 'Asia/Kolkata'

const salt = 'pepper-pepper'
const clock = () => Date.parse('2026-11-22T10:00:00Z')

let database: TestDatabase
let options: PostgresOptions
beforeEach(async () => {
  await database?.[Symbol.asyncDispose]()
  database = await newDatabase()
  options = { kind: 'postgres', url: database.url }
})
afterAll(() => database[Symbol.asyncDispose]())

const tables = async () =>
  (await database.query<{ name: string }>("select table_name as name from information_schema.tables where table_schema = 'public'")).map(
    row => row.name,
  )

describe('a database of v3', () => {
  beforeEach(() => database.query(v3Schema(salt)).then(() => {}))

  test('is migrated: its keys, projects and prices stay valid, and its superseded tables are dropped', async () => {
    expect(await pendingRelational(options)).toEqual(migrationNames)
    const store = await openRelationalStore(options)
    const keys = createKeyStore(store, { salt, clock })
    expect(await keys.verify('pk-v3', 'sk-v3-secret')).toMatchObject({ accessLevel: 'project', orgId: 'o', projectId: 'p', apiKeyId: 'k' })
    expect(await keys.verify('pk-org', 'sk-v3-org')).toMatchObject({ accessLevel: 'organization', orgId: 'o', projectId: null })
    expect(await keys.verify('pk-soon', 'sk-v3-soon')).toMatchObject({ expiresAtMs: clock() + 1_000 })
    for (const [publicKey, secretKey] of [
      ['pk-late', 'sk-v3-late'],
      ['pk-gone', 'sk-v3-gone'],
      ['pk-v3', 'sk-v3-other'],
    ] as const) {
      expect(await keys.verify(publicKey, secretKey), publicKey).toBeNull()
    }
    expect((await keys.listProjects()).map(project => project.id)).toEqual(['p'])
    expect(await keys.listKeys({ orgId: 'o' })).toHaveLength(5)
    const snapshot = await loadCatalogSnapshot(instance(store), { shipped: [] })
    expect(snapshot.models[0]).toMatchObject({ id: 'm', tiers: [{ prices: { input: expect.stringMatching(/^0\.0000025/) } }] })

    const left = await tables()
    for (const gone of ['traces', 'observations', 'scores', 'dataset_run_items', 'observations_view']) expect(left).not.toContain(gone)
    expect(await database.query('select id, job_output_score_id from job_executions')).toEqual([{ id: 'j', job_output_score_id: 's' }])
    expect(
      await database.query("select typname from pg_type where typname in ('ObservationType', 'ObservationLevel', 'ScoreSource')"),
    ).toEqual([])
    expect(await database.query("select name from background_migrations where name not like '20260701%'")).toEqual([
      { name: '20241024_1730_copy_traces' },
    ])
    expect(await pendingRelational(options)).toEqual([])
    await store.close()
  })

  test('can return to v3 unchanged, and v3 sees keys that were created or revoked in the meantime', async () => {
    const store = await openRelationalStore(options)
    const keys = createKeyStore(store, { salt, clock })
    const made = await keys.createKeyPair({ owner: { projectId: 'p' } })
    await keys.createKeyPair({ owner: { orgId: 'o' } })
    await keys.createOrganization({ id: 'o2', name: 'Second' })
    await keys.createProject({ id: 'p2', orgId: 'o2', name: 'Second' })
    expect(await keys.revoke('k')).toBe(true)
    expect(await keys.verify('pk-v3', 'sk-v3-secret')).toBeNull()
    await store.close()

    // Looks up a key by its fast hash, as v3 does. If v3 finds no key, it looks up the public key and verifies the secret with bcrypt.
    const found = (secretKey: string) =>
      database.query(
        `select project_id, scope from api_keys where fast_hashed_secret_key = '${v3FastHash(secretKey, salt)}' and scope = 'PROJECT'::"ApiKeyScope"`,
      )
    expect(await found(made.secretKey)).toEqual([{ project_id: 'p', scope: 'PROJECT' }])
    expect(await found('sk-v3-secret')).toEqual([])
    expect(await database.query("select hashed_secret_key as hash from api_keys where id = 'k'")).toEqual([{ hash: 'revoked k' }])
    // v3 inserts only the columns that v3 knows.
    await database.query("insert into projects (id, name, org_id, updated_at) values ('p3', 'By v3', 'o2', now())")
    await database.query(
      "insert into api_keys (id, public_key, hashed_secret_key, display_secret_key, project_id, scope) values ('n', 'pk-n', '$2a$11$n', 'sk', 'p3', 'PROJECT')",
    )
    const again = await openRelationalStore(options)
    // The order is from the oldest project to the newest. `p2` is the oldest, because its creation time comes from this suite's clock. The
    // other creation times come from the database's clock, which is later.
    expect((await createKeyStore(again, { salt }).listProjects()).map(project => project.id)).toEqual(['p2', 'p', 'p3'])
    await again.close()
  })

  test('is rejected while background migrations are unfinished, unless they are given up', async () => {
    await database.query(
      `insert into background_migrations (id, name, script, args, failed_at, failed_reason) values
         ('b2', '20241024_1739_copy_scores', 'copyScores', '{}', now(), 'timeout'), ('b3', '20250101_copy_more', 'copyMore', '{}', null, null),
         ('v4', '20260701_v4_step_1_create', 'create', '{}', null, null)`,
    )
    const refusal = {
      code: 'migration_failed',
      message: expect.stringMatching(
        /20241024_1739_copy_scores \(failed: timeout\), 20250101_copy_more\. .*GIVE_UP_BACKGROUND_MIGRATIONS=true/,
      ),
    }
    await expect(openRelationalStore(options)).rejects.toMatchObject(refusal)
    await expect(pendingRelational(options)).rejects.toMatchObject(refusal)
    expect(await tables()).toContain('scores')
    expect(await tables()).not.toContain('svc_migrations')

    await (await openRelationalStore({ ...options, migrations: { giveUpUnfinished: true } })).close()
    expect(await tables()).not.toContain('scores')
    const left = await database.query("select id from background_migrations where id in ('b1', 'b2', 'b3', 'v4') order by id")
    expect(left).toEqual([{ id: 'b1' }, { id: 'v4' }])
  })

  test('is rejected when a migration of v3 was interrupted, even when background migrations are given up', async () => {
    await database.query("insert into _prisma_migrations (id, checksum, migration_name) values ('2', 'c', '20251111_half')")
    const opening = openRelationalStore({ ...options, migrations: { giveUpUnfinished: true } })
    await expect(opening).rejects.toMatchObject({ code: 'migration_failed', message: expect.stringContaining('20251111_half') })
    expect(await tables()).toContain('scores')
  })

  test('is rejected unchanged when migration at start is disabled, and the error names the command to run', async () => {
    const opening = openRelationalStore({ ...options, migrations: { apply: false } })
    await expect(opening).rejects.toMatchObject({ code: 'migration_failed', message: expect.stringContaining('run svc migrate up') })
    expect(await tables()).not.toContain('svc_migrations')
    expect(await migrateRelational(options)).toEqual(migrationNames)
    await (await openRelationalStore({ ...options, migrations: { apply: false } })).close()
  })
})

test('keys of an earlier release of this product stay valid or revoked', async () => {
  await database.query(formerSchema)
  const fast = v3FastHash('sk-former', salt)
  await database.query(
    `insert into api_keys (id, public_key, hashed_secret_key, fast_hashed_secret_key, display_secret_key, scope, org_id, project_id, revoked_at) values
       ('a', 'pk-a', 'scrypt$x', '${fast}', 'sk', 'project', 'o', 'p', null), ('b', 'pk-b', 'scrypt$y', '${v3FastHash('sk-org', salt)}', 'sk', 'organization', 'o', null, null),
       ('c', 'pk-c', 'scrypt$z', '${v3FastHash('sk-revoked', salt)}', 'sk', 'project', 'o', 'p', now())`,
  )
  const store = await openRelationalStore(options)
  const keys = createKeyStore(store, { salt, clock })
  expect(await keys.verify('pk-a', 'sk-former')).toMatchObject({ accessLevel: 'project', orgId: 'o', projectId: 'p' })
  expect(await keys.verify('pk-b', 'sk-org')).toMatchObject({ accessLevel: 'organization', orgId: 'o', projectId: null })
  expect(await keys.verify('pk-c', 'sk-revoked')).toBeNull()
  expect((await keys.listKeys({ orgId: 'o' })).map(({ id, orgId, revokedAt }) => [id, orgId, revokedAt === null])).toEqual([
    ['a', 'o', true],
    ['b', 'o', true],
    ['c', 'o', false],
  ])
  expect(await database.query("select fast_hashed_secret_key as hash from api_keys where id = 'c'")).toEqual([{ hash: null }])
  await store.close()
})

// A user who has only the checked grants can run every migration, up and down.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backfillGrants, missingGrants, requiredGrants } from '../src/migrations/grants.ts'
import { migrateColumnStore } from '../src/migrations/migrate.ts'
import { type Engine, openEngine } from './engine.ts'
import { makeFormerStore } from './stores.ts'

const single = { database: 'svc', clustered: false }
const grants = requiredGrants(single).map(({ privileges, on }) => `GRANT ${privileges} ON ${on}`)

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ grants: ['GRANT CREATE DATABASE ON *.*', ...grants] })
  await engine.command('CREATE DATABASE svc')
})
afterAll(() => engine.close())

test('the required grants suffice for migrating up, down, and from a former release', async () => {
  await makeFormerStore(engine, 'svc')
  expect(await migrateColumnStore(engine, single)).not.toEqual([])
  await migrateColumnStore(engine, { ...single, target: 37, ownTarget: 0 })
  await migrateColumnStore(engine, single)
})

test('the additional grants of the backfill are checked separately, because managed servers do not give all of them', async () => {
  expect(await missingGrants(engine, requiredGrants(single))).toEqual([])
  expect(await missingGrants(engine, backfillGrants(single))).toEqual([
    'GRANT SYSTEM SYNC REPLICA ON `svc`.observations_pid_tid_sorting TO `default`;',
    'GRANT SYSTEM MERGES ON `svc`.observations_pid_tid_sorting TO `default`;',
  ])
})

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  claimChain,
  failStep,
  finishStep,
  heartbeat,
  readSteps,
  releaseChain,
  retryFailedSteps,
  saveState,
} from '../src/background-migrations/repository.ts'
import { backfillSteps } from '../src/store/migrations/backfill-steps.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { instance } from '../src/tenancy/handles.ts'
import { storeKinds } from './stores.ts'

const [first] = backfillSteps
const silence = `update background_migrations set locked_at = (now() at time zone 'utc') - interval '61 seconds'`

describe.each(storeKinds)('$kind', ({ open }) => {
  let store: RelationalStore
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  const db = () => store
  const run = (text: string) => sql.raw(text).execute(db().db)
  beforeEach(() =>
    run(`update background_migrations set state = '{}', worker_id = null, locked_at = null, finished_at = null, failed_at = null`),
  )

  test('the table has the five steps in order', async () => {
    expect((await readSteps(instance(db()))).map(({ id, name, script }) => ({ id, name, script }))).toEqual(
      backfillSteps.map(({ id, name, script }) => ({ id, name, script })),
    )
  })

  test('one of two claims succeeds; the other process gets a larger number once the lease of the first has expired', async () => {
    const both = await Promise.all([claimChain(instance(db()), 'a'), claimChain(instance(db()), 'b')])
    const former = both.find(each => each !== null)!
    expect(both.filter(each => each === null)).toHaveLength(1)
    const other = former.owner === 'a' ? 'b' : 'a'
    await run(silence)
    await heartbeat(instance(db()), former)
    expect(await claimChain(instance(db()), other)).toBeNull()
    await run(silence)
    const latter = (await claimChain(instance(db()), other))!
    expect(latter.fence).toBeGreaterThan(former.fence)
    const writes = [
      () => heartbeat(instance(db()), former),
      () => saveState(instance(db()), former, first.id, {}),
      () => finishStep(instance(db()), former, first.id),
      () => failStep(instance(db()), former, first.id, 'x'),
    ]
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'fenced' })
    await saveState(instance(db()), latter, first.id, { done: 3 })
    expect((await readSteps(instance(db())))[0]).toMatchObject({ state: { done: 3, fence: latter.fence }, workerId: other, isLeased: true })
  })

  test('a repeated claim of one owner gets a new number, and its earlier claim is fenced', async () => {
    const former = (await claimChain(instance(db()), 'a'))!
    const latter = (await claimChain(instance(db()), 'a'))!
    await expect(heartbeat(instance(db()), former)).rejects.toMatchObject({ code: 'fenced' })
    await heartbeat(instance(db()), latter)
    await releaseChain(instance(db()), latter)
    const next = await claimChain(instance(db()), 'b')
    expect(next!.fence).toBeGreaterThan(latter.fence)
    // When v3 retries a migration, v3 sets the migration's state to `{}`. An operator who repeats the backfill also sets the state to `{}`,
    // as the runbook describes.
    await sql`update background_migrations set state = '{}'`.execute(db().db)
    await releaseChain(instance(db()), next!).catch(() => {})
    expect((await claimChain(instance(db()), 'b'))!.fence).toBeGreaterThan(next!.fence)
  })

  test('a failed step keeps its state, and keeps its reason until a retry is requested', async () => {
    const ownership = (await claimChain(instance(db()), 'a'))!
    await saveState(instance(db()), ownership, first.id, { after: ['p', 'q'] })
    await failStep(instance(db()), ownership, first.id, 'no space')
    expect((await readSteps(instance(db())))[0]).toMatchObject({ failedReason: 'no space', failedAt: expect.any(Date), finishedAt: null })
    expect(await retryFailedSteps(instance(db()))).toEqual([first.name])
    expect((await readSteps(instance(db())))[0]).toMatchObject({ failedReason: null, failedAt: null, state: { after: ['p', 'q'] } })
  })
})

// Who owns the backfill: one at a time, and never a former owner after a new one.
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
} from '../src/background-migrations/background-migrations.ts'
import { backfillSteps } from '../src/store/migrations/backfill-steps.ts'
import { type OpenedStore, storeKinds } from './stores.ts'

const [first] = backfillSteps
const silence = `update background_migrations set locked_at = (now() at time zone 'utc') - interval '61 seconds'`

describe.each(storeKinds)('$kind', ({ open }) => {
  let opened: OpenedStore
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  const db = () => opened.store
  const run = (text: string) => sql.raw(text).execute(db().db)
  beforeEach(() =>
    run(`update background_migrations set state = '{}', worker_id = null, locked_at = null, finished_at = null, failed_at = null`),
  )

  test('the five rows are there, in their order', async () => {
    expect((await readSteps(db())).map(({ id, name, script }) => ({ id, name, script }))).toEqual(
      backfillSteps.map(({ id, name, script }) => ({ id, name, script })),
    )
  })

  test('of two who ask one gets it, and the other when the first has been silent for the lease, under a larger number', async () => {
    const both = await Promise.all([claimChain(db(), 'a'), claimChain(db(), 'b')])
    const former = both.find(each => each !== null)!
    expect(both.filter(each => each === null)).toHaveLength(1)
    const other = former.owner === 'a' ? 'b' : 'a'
    await run(silence)
    await heartbeat(db(), former)
    expect(await claimChain(db(), other)).toBeNull()
    await run(silence)
    const latter = (await claimChain(db(), other))!
    expect(latter.fence).toBeGreaterThan(former.fence)
    const writes = [
      () => heartbeat(db(), former),
      () => saveState(db(), former, first.id, {}),
      () => finishStep(db(), former, first.id),
      () => failStep(db(), former, first.id, 'x'),
    ]
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: 'fenced' })
    await saveState(db(), latter, first.id, { done: 3 })
    expect((await readSteps(db()))[0]).toMatchObject({ state: { done: 3, fence: latter.fence }, workerId: other, isLeased: true })
  })

  test('the same owner comes again under a new number, and its former self is put out', async () => {
    const former = (await claimChain(db(), 'a'))!
    const latter = (await claimChain(db(), 'a'))!
    await expect(heartbeat(db(), former)).rejects.toMatchObject({ code: 'fenced' })
    await heartbeat(db(), latter)
    await releaseChain(db(), latter)
    const next = await claimChain(db(), 'b')
    expect(next!.fence).toBeGreaterThan(latter.fence)
    // As v3's own retry, and the runbook's way to do it once more, leave it.
    await sql`update background_migrations set state = '{}'`.execute(db().db)
    await releaseChain(db(), next!).catch(() => {})
    expect((await claimChain(db(), 'b'))!.fence).toBeGreaterThan(next!.fence)
  })

  test('a failed step keeps its state and its sentence until it may run again', async () => {
    const ownership = (await claimChain(db(), 'a'))!
    await saveState(db(), ownership, first.id, { after: ['p', 'q'] })
    await failStep(db(), ownership, first.id, 'no space')
    expect((await readSteps(db()))[0]).toMatchObject({ failedReason: 'no space', failedAt: expect.any(Date), finishedAt: null })
    expect(await retryFailedSteps(db())).toEqual([first.name])
    expect((await readSteps(db()))[0]).toMatchObject({ failedReason: null, failedAt: null, state: { after: ['p', 'q'] } })
  })
})

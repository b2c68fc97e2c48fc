// A failure is a failure (F35): said in the step's row, nothing behind it runs, and the next try goes on from there. A store that dies and comes back is none.
import { AppError } from '@svc-server/errors'
import { isChainPaused, readSteps, retryFailedSteps, setChainPaused } from '@svc-server/relational/background-migrations'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { diskOf, loadOf } from '../src/load.ts'
import { createPause } from '../src/pause.ts'
import { backfillStatus } from '../src/status.ts'
import { inOrder, load, readEvents } from './load.ts'
import { expectedEvents } from './model.ts'
import { v3Data } from './v3-data.ts'
import { createWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

const data = v3Data(5, 8)

async function expectExact(): Promise<void> {
  const expected = inOrder(expectedEvents(data))
  for (const table of ['events_full', 'events_core']) expect(inOrder(await readEvents(world, table))).toEqual(expected)
}

test('a chunk that fails for good, halved as far as it goes, fails its step with a sentence; after a mend it goes on', async () => {
  await load(world, data)
  let failures = 0
  const end = await world.run({
    async onStatement(statement) {
      if (!/^INSERT INTO \S+events_full /.test(statement)) return
      throw new AppError('column_store_query', 'no space on device')
    },
    onFailure: () => failures++,
  })
  expect(end).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^virtual roots, \d{6}, behind .*: no space on device$/) })
  expect(failures).toBeGreaterThanOrEqual(5)
  const [first, second] = await readSteps(world.relational)
  expect(first).toMatchObject({ failedAt: expect.any(Date), failedReason: expect.stringContaining('no space'), finishedAt: null })
  expect(second!.state['phase']).toBeUndefined()
  expect(await backfillStatus(world.relational, Date.now())).toMatchObject([{ status: 'failed' }, { status: 'waiting' }, {}, {}, {}])

  expect(await world.run()).toMatchObject({ kind: 'failed' })
  expect(await retryFailedSteps(world.relational)).toEqual([first!.name])
  expect(await world.run()).toMatchObject({ kind: 'gated' })
  await expectExact()
})

test('the column store is killed in the middle: the runner goes on with the next one', async () => {
  await load(world, data)
  let left = 9
  const options = {
    limits: { maxRows: 30, maxBytes: 1 << 20 },
    async onStatement() {
      if (--left === 0) setTimeout(() => process.kill(world.engine.pid!, 'SIGKILL'), 3)
    },
  }
  // What the chain asks beside its chunks may meet the gap: then the service tries again.
  let end = await world.run(options)
  for (let tries = 0; end.kind === 'interrupted' && tries < 100; tries++) {
    await new Promise(resolve => setTimeout(resolve, 300))
    end = await world.run(options).catch((error: unknown) => ({ kind: 'interrupted' as const, error: error as AppError }))
  }
  expect(end).toMatchObject({ kind: 'gated' })
  await expectExact()
})

test('paused by an operator it waits, and goes on', async () => {
  await load(world, data)
  await setChainPaused(world.relational, true)
  const waits: (string | null)[] = []
  const pause = createPause({
    ...{ rowsPerSecond: null, window: null, clock: Date.now, isStopping: () => false },
    load: () => loadOf(world.columnStore, { lag: async () => [] }),
    disk: () => diskOf(world.columnStore),
    isPaused: () => isChainPaused(world.relational),
    sleep: () => setChainPaused(world.relational, false),
    onWait: reason => waits.push(reason),
  })
  expect(await world.run({ pause })).toMatchObject({ kind: 'gated' })
  expect(waits.slice(0, 2)).toEqual([expect.stringContaining('svc backfill resume'), null])
  await expectExact()
})

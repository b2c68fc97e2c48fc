// Runs the backfill with many random seeds while the old tables change (F34).
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { liveRun } from './live-run.ts'
import { createWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

const seeds = process.env['SVC_TEST_SEEDS']?.split(',').map(Number) ?? [11, 12, 13, 14, 15, 16, 17, 18]

test.each(seeds)('changes during the backfill end as if they had come before, whatever is killed: seed %i', seed =>
  liveRun(world, { seed, traces: 14, kills: 4, changes: 0.3, maxRows: 60 }),
)

// Runs the backfill while the old tables change. The test compares the result with the result of a backfill that starts after all changes.
import { AppError } from '@svc-server/errors'
import { createRandom } from '@svc-server/testkit'
import { expect } from 'vitest'
import type { ChainEnd } from '../src/chain.ts'
import { isExact } from '../src/verify.ts'
import { createLiveTraffic } from './live-traffic.ts'
import { inOrder, load, readShownEvents } from './load.ts'
import { expectedEvents } from './model.ts'
import { v3Data } from './v3-data.ts'
import type { World } from './world.ts'

export interface LiveRunOptions {
  readonly seed: number
  readonly traces: number
  readonly kills: number
  /** Probability from 0 to 1 that the old tables change before a statement of the backfill. */
  readonly changes: number
  readonly maxRows?: number
}

export async function liveRun(world: World, { seed, traces, kills, changes, maxRows = 1_000_000 }: LiveRunOptions): Promise<void> {
  const before = v3Data(seed, traces)
  await load(world, before)
  const live = createLiveTraffic(world, before, seed)
  const random = createRandom(seed + 1)
  let isSettled = false
  let killsLeft = kills
  let end: ChainEnd | undefined
  while (end?.kind !== 'gated') {
    let left = killsLeft-- > 0 ? random.integer(5, 40) : Number.POSITIVE_INFINITY
    end = await world.run({
      limits: { maxRows, maxBytes: 1 << 20 },
      async settle() {
        isSettled = true
      },
      async onStatement() {
        if (!isSettled && random.next() < changes) await live.change()
        if (--left <= 0) throw new AppError('draining', 'killed by the test')
      },
      onFailure: (_, __, error) => {
        throw error
      },
    })
    expect(end.kind === 'failed' ? end.reason : end.kind).toMatch(/^(gated|interrupted)$/)
  }
  const expected = inOrder(expectedEvents(live.data))
  const shown = await readShownEvents(world, 'events_full')
  expect(inOrder(shown)).toEqual(expected)
  expect(inOrder(await readShownEvents(world, 'events_core'))).toEqual(expected)
  expect((await world.verify()).total).toSatisfy(isExact)
  const [restated] = await world.columnStore.query<{ rows: string }>(
    `SELECT count() AS rows FROM events_full WHERE source LIKE '%-backfill' AND toUnixTimestamp64Micro(event_ts) % 1000 != 0`,
  )
  expect(Number(restated!.rows), 'rows that were written again').toBeGreaterThan(0)
}

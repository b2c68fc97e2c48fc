// F35: If a step fails, its row in the database records the failure. Later steps do not run, and the next attempt continues with the failed
// step. A step does not fail if the store crashes and restarts.
import { AppError } from '@svc-server/errors'
import { forgetSteps, isChainPaused, readSteps, retryFailedSteps, setChainPaused } from '@svc-server/relational/background-migrations'
import { instance } from '@svc-server/relational/tenancy'
import { sized } from '@svc-server/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ChainOptions } from '../src/chain.ts'
import { loadOf, spaceOf } from '../src/load.ts'
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

const small = v3Data(82, 3)
/** In ordinary runs, all rows of this data are in one month, so a backfill has few chunks. The nightly run uses more months. */
const oneMonth = sized(small, v3Data(25526, 3))
const data = sized(v3Data(5, 8), oneMonth)
const firstStepOnly: Partial<ChainOptions> = { isOpen: script => script === 'createRootSpansFromTraces' }

async function expectExact(of = data): Promise<void> {
  const expected = inOrder(expectedEvents(of))
  for (const table of ['events_full', 'events_core']) expect(inOrder(await readEvents(world, table))).toEqual(expected)
}

test('a chunk that still fails when halved to its minimum fails its step with a sentence; after a repair the step continues', async () => {
  await load(world, sized(data, small))
  let failures = 0
  const end = await world.run({
    async onStatement(statement) {
      if (!/^INSERT INTO \S+events_full /.test(statement)) return
      throw new AppError('column_store_query', 'no space on device')
    },
    onFailure: () => failures++,
  })
  expect(end).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^virtual roots, \d{6}, after .*: no space on device$/) })
  expect(failures).toBeGreaterThanOrEqual(5)
  const [first, second] = await readSteps(instance(world.relational))
  expect(first).toMatchObject({ failedAt: expect.any(Date), failedReason: expect.stringContaining('no space'), finishedAt: null })
  expect(second!.state['phase']).toBeUndefined()
  expect(await backfillStatus(world.relational, Date.now())).toMatchObject([{ status: 'failed' }, { status: 'waiting' }, {}, {}, {}])

  expect(await world.run()).toMatchObject({ kind: 'failed' })
  expect(await retryFailedSteps(instance(world.relational))).toEqual([first!.name])
  expect(await world.run(firstStepOnly)).toMatchObject({ kind: 'gated', step: { id: second!.id } })
})

/** Lists one statement of each phase. If this statement fails, the backfill fails with a reason that begins with `words`. */
const failing: readonly (readonly [statement: RegExp, words: string])[] = [
  [/INTO \S+backfill_fence/, 'injected'],
  [/INTO \S+traces_pid_tid_sorting/, 'properties of traces, '],
  [/INTO \S+backfill_moved_traces/, 'virtual roots did not succeed: '],
  [/INTO \S+events_full/, 'virtual roots, '],
  [/INTO \S+observations_pid_tid_sorting/, 'observations in the order of traces, '],
  [/INTO \S+events_full/, 'events of observations, '],
  [/INTO \S+backfill_experiment_spans/, 'events of experiments, '],
  [/INTO \S+backfill_changed/, 'traces that changed meanwhile did not succeed: '],
  [/INTO \S+backfill_proof_roots/, 'what the proof compares with did not succeed: '],
  [/INTO \S+backfill_verification.*'traces'/s, 'proof of the roots, '],
  [/INTO \S+backfill_verification.*'observations'/s, 'proof of the observations, '],
  [/INTO \S+backfill_proof_spans/, 'proof of the experiments, '],
  [/backfill_proof_roots DROP PARTITION/, 'end of the proof did not succeed: '],
]

test('a failure of each phase fails its step with a specific sentence, no later step runs, and the next run continues there', async () => {
  await load(world, oneMonth)
  // The nightly run tests the statements of all phases. Other runs test only three of these statements: the statement that writes the
  // fence, a statement that writes events, and a statement of the proof.
  const asked = sized(
    failing,
    [0, 3, 9].map(at => failing[at]!),
  )
  for (const [statement, words] of asked) {
    const end = await world.run({ onStatement: failOn(statement, words) })
    expect(end, words).toMatchObject({ kind: 'failed', reason: expect.stringMatching(new RegExp(`^${words}`)) })
    const steps = await readSteps(instance(world.relational))
    const at = steps.findIndex(({ failedAt }) => failedAt !== null)
    expect(steps[at]).toMatchObject({ finishedAt: null, failedReason: expect.stringContaining('injected') })
    expect(steps.slice(at + 1).map(({ finishedAt, state }) => [finishedAt, state['phase']])).toEqual(
      steps.slice(at + 1).map(() => [null, undefined]),
    )
    expect(await world.run()).toMatchObject({ kind: 'failed' })
    expect(await retryFailedSteps(instance(world.relational))).toEqual([steps[at]!.name])
  }
  expect(await world.run()).toMatchObject({ kind: 'gated' })
  await expectExact(oneMonth)
})

test('a proof that finds differences fails its step with the numbers and a query that shows them, and runs again after the repair', async () => {
  await load(world, oneMonth)
  let isSpoilt = false
  const end = await world.run({
    async onStatement(statement) {
      if (isSpoilt || !/INTO \S+backfill_proof_items/.test(statement)) return
      isSpoilt = true
      await renameGenerations(`concat('spoilt ', name)`)
    },
  })
  const { reason } = end as { reason: string }
  expect(reason).toMatch(/^The proof found differences: source \d+, .*different [1-9]/)
  const query = /This query shows them: (.*)$/.exec(reason)![1]!
  expect(await world.columnStore.query(query)).not.toEqual([])
  await renameGenerations(`replaceOne(name, 'spoilt ', '')`)
  expect(await retryFailedSteps(instance(world.relational))).toHaveLength(1)
  expect(await world.run()).toMatchObject({ kind: 'gated' })
  await expectExact(oneMonth)
})

/**
 * Renames the observations of type GENERATION in only one project. The proof repeats each comparison that finds a difference, so more
 * projects would take longer. An update rewrites every part, so the function first merges the parts, to leave only a few for the update.
 */
async function renameGenerations(name: string): Promise<void> {
  await world.columnStore.command('OPTIMIZE TABLE events_full FINAL')
  await world.columnStore.command(`ALTER TABLE events_full UPDATE name = ${name} WHERE type = 'GENERATION'
    AND project_id = (SELECT min(project_id) FROM events_full WHERE type = 'GENERATION') SETTINGS mutations_sync = 1`)
}

/** Makes the column store reject the statement on every attempt. */
const failOn = (statement: RegExp, words: string) => async (sql: string) => {
  if (statement.test(sql)) throw new AppError('column_store_query', `injected for ${words}`)
}

test('the runner continues after the column store is killed and restarted', async () => {
  await load(world, data)
  let left = 9
  const options = {
    limits: { maxRows: 30, maxBytes: 1 << 20 },
    async onStatement() {
      if (--left === 0) setTimeout(() => process.kill(world.engine.pid!, 'SIGKILL'), 3)
    },
  }
  // During the outage, a query that belongs to no chunk can fail and end the run. The test then starts the run again, as a service would.
  let end = await world.run(options)
  for (let tries = 0; end.kind === 'interrupted' && tries < 100; tries++) {
    await new Promise(resolve => setTimeout(resolve, 300))
    end = await world.run(options).catch((error: unknown) => ({ kind: 'interrupted' as const, error: error as AppError }))
  }
  expect(end).toMatchObject({ kind: 'gated' })
  await expectExact()
})

test('a backfill that an operator has paused waits, and continues afterwards', async () => {
  await load(world, small)
  await setChainPaused(instance(world.relational), true)
  const waits: (string | null)[] = []
  const pause = createPause({
    ...{ rowsPerSecond: null, window: null, clock: Date.now, isStopping: () => false },
    load: () => loadOf(world.columnStore, { lag: async () => [] }),
    space: () => spaceOf(world.columnStore),
    isPaused: () => isChainPaused(instance(world.relational)),
    sleep: () => setChainPaused(instance(world.relational), false),
    onWait: reason => waits.push(reason),
  })
  expect(await world.run({ pause, ...firstStepOnly })).toMatchObject({ kind: 'gated' })
  expect(waits.slice(0, 2)).toEqual([expect.stringContaining('svc backfill resume'), null])
})

test('rows from before the events tables were created or the steps started over do not belong to the live path, whatever the log contains', async () => {
  const asked: number[] = []
  const findCutoff = async (notBeforeMs: number) => asked.push(notBeforeMs)
  const [made] = await world.columnStore.query<{ ms: string }>(
    "SELECT toString(toUnixTimestamp64Milli(max(at))) AS ms FROM svc_migrations WHERE name = 'events_full' AND state = 'applied'",
  )
  const anewMs = Number(made!.ms) + 3_600_000
  await world.run({ findCutoff, ...firstStepOnly })
  await forgetSteps(instance(world.relational))
  expect((await readSteps(instance(world.relational)))[0]!.anewMs).toBeGreaterThan(Number(made!.ms) - 60_000)
  await sql`update background_migrations set args = jsonb_set(args, '{anewMs}', to_jsonb(${anewMs}::bigint)) where name like '20260701%'`.execute(
    world.relational.db,
  )
  await world.run({ findCutoff, ...firstStepOnly })
  expect(asked).toEqual([Number(made!.ms) + 60_000, anewMs])
})

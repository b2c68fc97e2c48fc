// Runs the five steps of the backfill on the real engine. The test compares the result with an in-memory model of contract §15. The test
// kills runners between two statements, and also lets two runners work at the same time (F34).
import { AppError } from '@svc-server/errors'
import type { BackfillScript } from '@svc-server/relational/backfill-steps'
import { createRandom, inNightly, sized } from '@svc-server/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ChainOptions } from '../src/chain.ts'
import { progressOf } from '../src/step-progress.ts'
import { coverageOf, isExact, requireExact } from '../src/verify.ts'
import { liveRun } from './live-run.ts'
import { inOrder, insert, load, readEvents, readShownEvents } from './load.ts'
import { type EventRow, expectedEvents } from './model.ts'
import { type RunItem, type Trace, type V3Data, v3Data } from './v3-data.ts'
import { createWorld, cutoffMs, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

const limits = { maxRows: 40, maxBytes: 1 << 20 }
const rethrow: Partial<ChainOptions> = {
  onFailure: (_, __, error) => {
    throw error
  },
}

async function expectExact(data: V3Data): Promise<void> {
  const expected = inOrder(expectedEvents(data))
  expect(inOrder(await readEvents(world, 'events_full'))).toEqual(expected)
  expect(inOrder(await readEvents(world, 'events_core'))).toEqual(expected)
}

/** All rows of this data are in one month, so a backfill of this data has few chunks. */
const oneMonth = v3Data(25526, 3)

const gone = () => new AppError('draining', 'killed by the test')

test('every row is written once, as the rules require, and a second run writes nothing', async () => {
  const data = sized(v3Data(1, 20), v3Data(236, 5))
  await load(world, data)
  const shares = new Map<string, number[]>()
  const onProgress: ChainOptions['onProgress'] = (step, state) => {
    shares.set(step.script, [...(shares.get(step.script) ?? []), progressOf(step, state).ratio])
  }
  expect(await world.run({ limits: { ...limits, maxRows: sized(40, 120) }, onProgress, ...rethrow })).toMatchObject({ kind: 'gated' })
  // A step's progress must never decrease, even if a later phase has not counted its rows yet.
  expect(shares.size).toBe(4)
  for (const [script, told] of shares) {
    expect([script, told]).toEqual([script, told.toSorted((a, b) => a - b)])
    expect([script, told[0], told.at(-1)]).toEqual([script, 0, 1])
  }
  await expectExact(data)
  await sql`update background_migrations set finished_at = null, state = '{}'`.execute(world.relational.db)
  expect(await world.run(rethrow)).toMatchObject({ kind: 'gated' })
  await expectExact(data)

  const { columnStore } = world
  // Each update below rewrites every part of the table. The merge leaves few parts, so that the updates take less time.
  for (const table of ['events_full', 'events_core']) await columnStore.command(`OPTIMIZE TABLE ${table} FINAL`)
  const rows = await readEvents(world, 'events_full')
  const ofTrace = (row: EventRow) => `${String(row['project_id'])} ${String(row['trace_id'])}`
  const withRow = new Set(data.traces.map(({ project_id, id }) => `${project_id} ${id}`))
  const children = rows.filter(row => row['type'] === 'GENERATION')
  const lent = rows.find(row => row['span_id'] === `t-${String(row['trace_id'])}` && !withRow.has(ofTrace(row)))!
  const ofLent = children.filter(row => ofTrace(row) === ofTrace(lent)).length
  const inTree = children.find(row => row['experiment_id'] !== '' && ofTrace(row) !== ofTrace(lent))!
  const others = children.filter(row => !data.runItems.some(item => item.trace_id === row['trace_id']) && ofTrace(row) !== ofTrace(lent))
  const [lost, changed, lostInCore, outside, moved] = others
  const key = (row: EventRow) => `trace_id = '${String(row['trace_id'])}' AND span_id = '${String(row['span_id'])}'`
  const update = (table: string, set: string, row: EventRow) =>
    columnStore.command(`ALTER TABLE ${table} UPDATE ${set} WHERE ${key(row)} SETTINGS mutations_sync = 1`)
  await columnStore.command(`DELETE FROM events_full WHERE ${key(lost!)}`)
  await update('events_full', `input = 'changed'`, changed!)
  await columnStore.command(`DELETE FROM events_core WHERE ${key(lostInCore!)}`)
  for (const table of ['events_full', 'events_core']) {
    await update(table, `experiment_item_id = 'wrong'`, inTree)
    await update(table, `experiment_id = 'wrong'`, outside!)
    await update(table, `parent_span_id = 'wrong'`, moved!)
    await columnStore.command(`DELETE FROM ${table} WHERE ${key(lent)}`)
  }
  const proof = await world.verify()
  expect(proof.total).toMatchObject({ missing: 1, different: 4 + ofLent, coreMissing: 1, coreDifferent: 1 })
  await expect(requireExact(proof.session, proof.run)).rejects.toMatchObject({
    code: 'backfill_failed',
    message: expect.stringContaining('missing 1'),
  })
  const coverage = await coverageOf(proof.session, proof.run, 1_000)
  expect(coverage.filter(({ kind }) => kind === 'experiments').reduce((sum, { different }) => sum + different, 0)).toBe(1)
  const [wrong] = coverage.filter(line => !isExact(line))
  // A proof of one month must report the same differences for this month as a proof of all months.
  const { projectId, month } = wrong!
  const part = await world.verify({ projectId, month })
  expect(await coverageOf(part.session, part.run, 1_000)).toEqual(
    coverage.filter(line => line.projectId === projectId && line.month === month),
  )
})

test('a backfill that starts over after a return to v3 does not bring back rows that v3 has deleted since', async () => {
  const data = sized(v3Data(4, 6), oneMonth)
  await load(world, data)
  const endsBefore: BackfillScript = sized('dropPidTidSortingTables', 'backfillEventsFullFromDatasetRunItems')
  expect(await world.run({ isOpen: script => script !== endsBefore, ...rethrow })).toMatchObject({ kind: 'gated' })
  const { project_id: project, id } = data.traces.find(trace => data.observations.some(({ trace_id }) => trace_id === trace.id))!
  const isLeft = (row: { project_id: string }, trace: string) => row.project_id !== project || trace !== id
  const left: V3Data = {
    ...data,
    traces: data.traces.filter(row => isLeft(row, row.id)),
    observations: data.observations.filter(row => isLeft(row, row.trace_id)),
    runItems: data.runItems.filter(row => isLeft(row, row.trace_id)),
  }
  await world.reset(['events_full', 'events_core', 'traces', 'observations', 'dataset_run_items_rmt'])
  await load(world, left)
  expect(await world.run(rethrow)).toMatchObject({ kind: 'gated' })
  await expectExact(left)
})

test('a backfill that another runner takes over, and that is killed anywhere, even between the two tables, writes the same rows', async () => {
  const data = sized(v3Data(2, 14), oneMonth)
  await load(world, data)
  let statements = 0
  let second: Promise<number> | undefined
  // The second runner assumes that the first runner is dead, and takes over. After the takeover, the first runner must write no rows.
  const first = world.run({
    limits,
    async onStatement() {
      if (++statements !== sized(12, 6)) return
      expect(await world.run()).toMatchObject({ kind: 'owned' })
      await sql`update background_migrations set locked_at = locked_at - interval '2 minutes'`.execute(world.relational.db)
      second = runKilled()
      await second
    },
  })
  expect(await first).toMatchObject({ kind: 'interrupted', error: { code: 'fenced' } })
  expect(await second).toBeGreaterThan(0)
  await expectExact(data)
})

/** Resolves with the number of killed inserts. A killed insert leaves different rows in events_full and in events_core. */
async function runKilled(): Promise<number> {
  const random = createRandom(2)
  let killedInserts = 0
  let end: Awaited<ReturnType<World['run']>> | undefined
  for (let runs = 0; end?.kind !== 'gated'; runs++) {
    expect(runs).toBeLessThan(60)
    let left = random.integer(3, sized(90, 12))
    end = await world.run({
      limits,
      async onStatement(statement) {
        if (--left > 0) return
        const cut = /^INSERT INTO \S+events_full /.test(statement)
        if (left === 0 && cut) {
          killedInserts += 1
          // The test simulates a killed insert. One table has all rows of the insert, and the other table has only a part of the rows.
          await world.columnStore.command(`${statement} SETTINGS insert_deduplicate = 0`)
          const table = random.pick(['events_full', 'events_core'])
          await world.columnStore.command(`DELETE FROM ${table} WHERE source LIKE '%-backfill' AND _part = (SELECT argMax(name, modification_time)
            FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active) AND cityHash64(span_id) % 2 = 0`)
        }
        if (cut || left < -10) throw gone()
      },
    })
  }
  return killedInserts
}

test('changes, moves, new rows and deletions during the backfill have the same result as if they had happened before it', () =>
  liveRun(world, { seed: 11, traces: sized(5, 3), kills: 1, changes: 0.2 }))

inNightly(() =>
  test('when the run item of a trace without observations is deleted during the backfill, the root loses its experiment', async () => {
    const { traces, runItems, ...others } = v3Data(1, 2)
    const of = { project_id: 'bare', event_ts: cutoffMs - 1_000, is_deleted: 0 as const }
    const trace: Trace = { ...traces[0]!, ...of, id: 'bare-trace' }
    const item: RunItem = {
      ...{ ...of, id: 'bare-item', trace_id: trace.id, observation_id: null, created_at: cutoffMs - 1_000 },
      ...{ dataset_id: 'd', dataset_run_id: 'run', dataset_run_name: 'run', dataset_item_id: 'item', dataset_run_metadata: {} },
    }
    const before: V3Data = { ...others, traces: [...traces, trace], runItems: [...runItems, item] }
    const removed: RunItem = { ...item, event_ts: cutoffMs + 1_000, is_deleted: 1 }
    await load(world, before)
    const seen: unknown[] = []
    async function settle(): Promise<void> {
      seen.push(
        ...(await readShownEvents(world, 'events_full')).filter(row => row['trace_id'] === trace.id).map(row => row['experiment_id']),
      )
      await insert(world, 'dataset_run_items_rmt', [removed])
    }
    expect(await world.run({ limits, settle, ...rethrow })).toMatchObject({ kind: 'gated' })
    expect(seen).toEqual(['run'])
    const expected = inOrder(expectedEvents({ ...before, runItems: [...before.runItems, removed] }))
    for (const table of ['events_full', 'events_core']) expect(inOrder(await readShownEvents(world, table))).toEqual(expected)
  }),
)

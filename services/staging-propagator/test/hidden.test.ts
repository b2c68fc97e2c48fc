// Sometimes a read returns no records although later records exist, for example because of a new leader, slow storage or a quota. The
// propagator must not conclude that the log ends at the last offset that it has published.
import { waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { newestSpans, problemsOf } from './published.ts'
import { hexOf, type StagedRecord, type StagedSpan, startUs } from './staged.ts'
import { createWorld, testConfig, type World } from './world.ts'

const span = (number: number, says: StagedSpan['says'] = {}): StagedSpan => ({ spanId: hexOf(number, 16), startUs: startUs + number, says })
const record = (trace: number, ...spans: StagedSpan[]): StagedRecord => ({ projectId: 'project', traceId: hexOf(trace, 32), spans })
const root = (trace: number) => record(trace, { ...span(1000 + trace, { 'user.id': `user ${trace}` }), root: true })
const traces = Array.from({ length: 20 }, (_, index) => index + 1)
const config = { publishBytes: 1000 }

const tried = (world: World) =>
  waitFor(
    async () => {
      world.advance(50)
      return (await world.running.metric('svc_propagator_retries_total', 'log_unavailable')) > 1
    },
    { what: 'a publication to be tried again', everyMs: 4 },
  )

async function filled(world: World) {
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  const users = [...newestSpans(published.spans).values()].map(({ id, fill }) => [Number.parseInt(id.split('/')[1]!, 16), fill.userId])
  expect(users.length).toBe(2 * traces.length)
  for (const [trace, user] of users) expect(user).toBe(`user ${trace}`)
}

describe.concurrent.each(['behind the end', 'below the high watermark'] as const)('F46 · records that cannot be read %s', hidden => {
  test('a closed window waits for its records', async () => {
    await using world = await createWorld({ partitions: 1, config })
    await world.start()
    await world.stage(traces.flatMap(trace => [record(trace, span(trace)), root(trace)]))
    await waitFor(() => world.running.turns > 0 && world.running.busy === 0, { what: 'the window to be read' })
    world.running.faults.hidesStaged = hidden
    await tried(world)
    world.running.faults.hidesStaged = null
    await world.settled()
    await filled(world)
  })

  test('a window that is rebuilt after a restart waits for them, too', async () => {
    await using world = await createWorld({ partitions: 1, config })
    const { faults } = await world.start()
    let commits = 0
    faults.deadly = true
    faults.fate = () => (++commits > 2 ? 'refused' : 'done')
    await world.stage(traces.flatMap(trace => [record(trace, span(trace)), root(trace)]))
    await world.settled()
    expect(world.running.isDead).toBe(true)
    await world.stop()

    const running = await world.start()
    running.faults.hidesStaged = hidden
    await tried(world)
    running.faults.hidesStaged = null
    await world.settled()
    await filled(world)
  })

  test('a repair does not count them as lost', async () => {
    await using world = await createWorld({ partitions: 1 })
    const { faults, metric } = await world.start()
    await world.stage(traces.map(trace => record(trace, span(trace))))
    await world.settled()
    world.advance(testConfig.windowMs)
    faults.fate = () => {
      faults.hidesStaged = hidden
      return 'done'
    }
    await world.stage(traces.map(root))
    await tried(world)
    faults.fate = () => 'done'
    faults.hidesStaged = null
    await world.settled()
    expect(await metric('svc_propagator_repair_lost_records_total')).toBe(0)
    expect(await metric('svc_propagator_republished_spans_total')).toBe(traces.length)
    await filled(world)
  })
})

test.concurrent('F46 · an empty read in the middle of a window does not end the window', async () => {
  await using world = await createWorld({ partitions: 1, config })
  const { faults } = await world.start()
  let commits = 0
  await world.stage(traces.flatMap(trace => [record(trace, span(trace)), root(trace)]))
  faults.fate = () => {
    faults.hidesOnce = ++commits <= 2
    return 'done'
  }
  await world.settled()
  await filled(world)
})

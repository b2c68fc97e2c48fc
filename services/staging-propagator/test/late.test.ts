import { topicNames } from '@svc-server/modes/names'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { createRandom, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { fillOfSpans, fillProblems, randomTrace } from './model.ts'
import { newestSpans, type Published, problemsOf, readTopic } from './published.ts'
import { hexOf, newRecord, type StagedRecord, type StagedSpan, startUs } from './staged.ts'
import { createWorld, testConfig, type World } from './world.ts'

const child = (number: number, says: StagedSpan['says'] = {}): StagedSpan => ({
  spanId: hexOf(number, 16),
  startUs: startUs + number,
  says,
})
const root = (number: number, says: StagedSpan['says'] = {}): StagedSpan => ({ ...child(number, says), root: true, name: 'answer' })
const record = (trace: number, ...spans: StagedSpan[]): StagedRecord => ({ projectId: 'project', traceId: hexOf(trace, 32), spans })

const alice = { name: 'answer', userId: 'alice' }
const bob = { name: 'answer', userId: 'bob' }
const tagged = { name: 'answer', sessionId: 's', tags: ['t'] }

const nextWindow = (world: World) => world.advance(testConfig.windowMs)

const exits = async (world: World, reason = ''): Promise<number> => world.running.metric('svc_propagator_window_exit_total', reason)
const republished = (world: World): Promise<number> => world.running.metric('svc_propagator_republished_spans_total')

function fillsOf({ spans }: Published, ...numbers: number[]): TraceAttributes[] {
  const newest = [...newestSpans(spans).values()]
  return numbers.flatMap(number => newest.filter(({ id }) => id.includes(`/${hexOf(number, 16)}@`)).map(({ fill }) => fill))
}

test('F23 · a propagator that is killed with open windows, during a publication, and loses its state publishes like an undisturbed one', async () => {
  const random = createRandom('open windows')
  const slots = Array.from({ length: 5 }, (_, slot) =>
    Array.from({ length: 12 }, (_, number) => randomTrace(random, { number: slot * 12 + number, maxSpans: 4 })).flat(),
  )
  const config = { publishBytes: 2000, readBytes: 2000 }
  const run = async (disturb: (world: World, slot: number) => Promise<void>): Promise<Published> => {
    await using world = await createWorld({ config })
    await world.start()
    for (const [slot, records] of slots.entries()) {
      await world.stage(records)
      await disturb(world, slot)
      nextWindow(world)
    }
    await world.settled()
    const published = await world.published()
    expect(problemsOf(published)).toEqual([])
    expect(fillProblems(slots.flat(), published.spans)).toEqual([])
    return published
  }
  const kill = async (world: World) => {
    world.running.faults.deadly = true
    world.running.faults.fate = () => 'refused'
    await world.stop()
  }
  const undisturbed = await run(async () => {})
  const disturbed = await run(async (world, slot) => {
    if (slot === 0 || slot === 4) {
      // The propagator has read the open window, but has committed nothing.
      const { turns } = world.running
      await waitFor(() => world.running.turns > turns + 2, { what: 'the open window to be read' })
      await kill(world)
      if (slot === 4) world.loseState()
      await world.start()
    }
    if (slot === 2) {
      let commits = 0
      world.running.faults.deadly = true
      world.running.faults.fate = () => (++commits > 2 ? 'lost' : 'done')
      await waitFor(() => world.running.isDead, { what: 'the crash in the middle of a window' })
      await world.stop()
      await world.start()
    }
  })
  expect(newestSpans(disturbed.spans)).toEqual(newestSpans(undisturbed.spans))
})

test('F24 · a root arrives last, after the window, hours later or never: every span gets the known attributes, and every trace is counted', async () => {
  await using world = await createWorld()
  await world.start()
  const [inTime, after, hours, never] = [1, 2, 3, 4]
  await world.stage([
    record(inTime, child(1)),
    record(after, child(2), child(3)),
    record(hours, child(4)),
    record(never, child(5, { 'user.id': 'eve' })),
  ])
  await world.stage([record(inTime, root(6, { 'user.id': 'alice' })), record(never, child(7))])
  nextWindow(world)
  await world.settled()
  expect([await exits(world, 'root_seen'), await exits(world, 'root_missing'), await exits(world)]).toEqual([1, 3, 4])
  expect(await republished(world)).toBe(0)

  await world.stage([record(after, root(8, { 'session.id': 's', 'svc.trace.tags': ['t'] }))])
  await world.settled()
  expect(await republished(world)).toBe(2)
  world.advance(11 * 3_600_000)
  await world.stage([record(hours, root(9, { 'user.id': 'bob' })), record(after, child(10))])
  await world.settled()
  // One span of trace 3 is published again, so the metric increases from 2 to 3. Trace 2 has no new attributes, so none of its spans is
  // published again this time.
  expect(await republished(world)).toBe(3)
  expect([await exits(world, 'root_seen'), await exits(world, 'root_missing'), await exits(world)]).toEqual([4, 3, 7])
  expect(new Set((await world.published()).windows.map(({ key }) => key)).size).toBe(7)
  expect(await world.running.metric('svc_propagator_late_spans_total')).toBe(3)

  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(fillsOf(published, 1, 6)).toEqual([alice, alice])
  expect(fillsOf(published, 2, 3, 8, 10)).toEqual([tagged, tagged, tagged, tagged])
  expect(fillsOf(published, 4, 9)).toEqual([bob, bob])
  expect(fillsOf(published, 5, 7)).toEqual([{ userId: 'eve' }, { userId: 'eve' }])
})

test('F24 · each of many changes of a trace’s attributes is one generation, and the newest wins', async () => {
  await using world = await createWorld()
  await world.start()
  // Each new span starts before the spans that were sent earlier. Of all spans of the trace, the span that starts first determines the
  // user. The user of each new span therefore replaces the user of the spans that were sent earlier.
  for (let number = 5; number > 0; number--) {
    await world.stage([record(1, child(number, { 'user.id': `user ${number}` }))])
    await world.settled()
  }
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(fillsOf(published, 5, 4, 3, 2, 1)).toEqual(Array.from({ length: 5 }, () => ({ userId: 'user 1' })))
  // The attributes change four times. The first change publishes one span again, the second change publishes two spans again, and so on.
  expect(await republished(world)).toBe(10)
  expect(published.spans.length).toBe(15)
})

test('F24 · a root arrives after two days, when the trace has expired: its early spans keep their fill-in', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  await world.stage([record(1, child(1, { 'user.id': 'early', 'session.id': 's' }))])
  await world.settled()
  world.advance(49 * 3_600_000)
  await world.stage([record(1, root(2, { 'user.id': 'alice' }))])
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(fillsOf(published, 1, 2)).toEqual([{ userId: 'early', sessionId: 's' }, alice])
  expect(await republished(world)).toBe(0)
})

test('F26 · a project over its limit of traces has space again two days later, although none of the excess traces was recorded', async () => {
  await using world = await createWorld({ partitions: 1, config: { maxProjectTraces: 1 } })
  await world.start()
  const said = (number: number) => record(number, child(number, { 'user.id': `user ${number}` }))
  await world.stage([said(1)])
  await world.settled()
  for (const number of [2, 3]) {
    world.advance(25 * 3_600_000)
    await world.stage([said(number)])
    await world.settled()
  }
  // Trace 1 expires when the last window, the window of trace 3, ends. Trace 4 must therefore be within the limit, even after a restart.
  await world.stop()
  await world.start()
  await world.stage([said(4)])
  await world.settled()
  await world.stage([said(5)])
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(fillsOf(published, 1, 2, 3, 4, 5)).toEqual([{ userId: 'user 1' }, {}, {}, { userId: 'user 4' }, {}])
})

test('F25 · two users, two sessions and two names in one trace give one result in all 24 orders', async () => {
  const spans: readonly StagedSpan[] = [
    child(1, { 'user.id': 'alice', 'session.id': 'one' }),
    child(2, { 'user.id': 'bob', 'svc.trace.tags': ['b'] }),
    { ...root(3, { 'svc.trace.metadata.svc_session_id': 'two' }), startUs: startUs + 9 },
    child(4, { 'svc.trace.name': 'named', 'svc.trace.tags': ['a'], 'user.id': 'carol' }),
  ]
  const orders = permutations(spans)
  expect(orders.length).toBe(24)
  await using world = await createWorld()
  await world.start()
  for (let place = 0; place < spans.length; place++) {
    await world.stage(orders.map((order, number) => record(number + 1, order[place]!)))
    nextWindow(world)
  }
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  const expected = { name: 'named', userId: 'alice', sessionId: 'two', tags: ['a', 'b'] }
  expect(fillOfSpans(spans)).toEqual(expected)
  const fills = [...newestSpans(published.spans).values()].map(({ fill }) => fill)
  expect(fills.length).toBe(96)
  for (const fill of fills) expect(fill).toEqual(expected)
})

test('F33 · in a trace of an old and a new SDK, staged spans get attributes of staged spans, and direct spans stay unchanged', async () => {
  await using world = await createWorld()
  await world.start()
  const direct = newRecord(record(1, root(1, { 'user.id': 'only on the direct path', 'svc.trace.name': 'direct' })))
  await world.log.append(topicNames.direct, [{ ...direct, key: null }])
  await world.stage([record(1, child(2, { 'session.id': 's' }), child(3))])
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  // The new SDK sends its span on the direct path, so the propagator publishes no record of this span. The new SDK itself copies the
  // trace's attributes to each span.
  expect(fillsOf(published, 2, 3)).toEqual([{ sessionId: 's' }, { sessionId: 's' }])
  expect(fillsOf(published, 1)).toEqual([])
  expect((await readTopic(world.log, topicNames.direct)).map(({ value }) => Buffer.from(value!))).toEqual([direct.value])
})

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length === 0 ? [[]] : items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map(rest => [item, ...rest]))

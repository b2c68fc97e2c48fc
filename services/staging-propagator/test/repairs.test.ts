import { topicNames } from '@svc-server/modes/names'
import { expect, test } from 'vitest'
import { newestSpans, problemsOf, repairsOf } from './published.ts'
import { hexOf, type StagedRecord, type StagedSpan, startUs } from './staged.ts'
import { createWorld, testConfig, type World } from './world.ts'

const span = (number: number, says: StagedSpan['says'] = {}): StagedSpan => ({ spanId: hexOf(number, 16), startUs: startUs + number, says })
const record = (trace: number, ...spans: StagedSpan[]): StagedRecord => ({ projectId: 'project', traceId: hexOf(trace, 32), spans })
const late = (trace: number): StagedRecord =>
  record(trace, { ...span(900_000 + trace, { 'user.id': `user ${trace}` }), root: true, name: `trace ${trace}` })
const fillers = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => record(10_000 + first + index, span(10_000 + first + index)))

async function proven(world: World) {
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  return published
}
const repairedFills = (spans: Parameters<typeof newestSpans>[0]) =>
  [...newestSpans(spans).values()].filter(({ fill }) => fill.userId !== undefined)

test('repairs seek to single records and read dense runs sequentially', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  // The repairs need the records at the offsets 0, 300 and 600, and every second record from 601 to 650. The gaps after 0 and after 300 are
  // longer than `denseGap`.
  await world.stage([record(1, span(1)), ...fillers(0, 299), record(1, span(2)), ...fillers(300, 299), record(1, span(3))])
  await world.stage(
    Array.from({ length: 25 }, (_, index) => [record(2, span(100 + index)), record(3000 + index, span(200 + index))]).flat(),
  )
  await world.settled()
  const before = world.running.reads.length
  await world.stage([late(1), late(2)])
  await world.settled()

  const wanted = world.running.reads.slice(before).filter(({ from }) => from <= 650)
  const { readBytes } = testConfig
  expect(wanted.map(({ from, maxBytes }) => [from, maxBytes])).toEqual([
    [0, 1],
    [300, 1],
    [600, readBytes],
  ])
  const { spans, ledger } = await proven(world)
  expect(repairsOf({ ledger }).map(({ first, spans: repaired }) => [first, repaired])).toEqual([[1, 28]])
  expect(repairedFills(spans).length).toBe(28 + 2)
})

test('records that the topic no longer has are counted, the others are repaired, and nothing waits for them', async () => {
  await using world = await createWorld({ partitions: 1, maxTopicBytes: { [topicNames.staging]: 60_000 } })
  await world.start()
  await world.stage([record(1, span(1))])
  await world.settled()
  for (let first = 0; first < 400; first += 20) {
    await world.stage(fillers(first, 20))
    await world.settled()
  }
  await world.stage([record(1, span(2))])
  await world.settled()
  const [staging] = (await world.log.describe()).find(({ spec }) => spec.name === topicNames.staging)!.partitions
  expect(staging!.lowWatermark).toBeGreaterThan(0)
  await world.stage([late(1)])
  await world.settled()
  expect(await world.running.metric('svc_propagator_repair_lost_records_total')).toBe(1)
  expect(await world.running.metric('svc_propagator_republished_spans_total')).toBe(1)
  expect(await world.running.metric('svc_propagator_pending_repairs')).toBe(0)
})

test('repairs above their budget wait for it, and windows continue meanwhile', async () => {
  await using world = await createWorld({ partitions: 1, config: { repairBytesPerSecond: 8_000, publishBytes: 4_000 } })
  await world.start()
  const traces = Array.from({ length: 60 }, (_, index) => index + 1)
  await world.stage(traces.flatMap(trace => [record(trace, span(trace)), record(trace, span(100 + trace))]))
  await world.settled()
  await world.stage(traces.map(late))
  world.advance(testConfig.windowMs)
  await world.stage([record(5_000, span(5_000))])
  world.advance(testConfig.windowMs)
  await world.stage([record(5_001, span(5_001))])
  await world.settled()
  const { spans } = await proven(world)
  expect(repairedFills(spans).length).toBe(3 * traces.length)
  const places = (isWanted: (span: (typeof spans)[number]) => boolean) => spans.flatMap((one, index) => (isWanted(one) ? [index] : []))
  const [fresh] = places(({ id }) => id.includes(`/${hexOf(5_000, 16)}@`))
  const repaired = places(({ rowTimeUs }) => rowTimeUs % 1000 === 1)
  expect(repaired.length).toBe(2 * traces.length)
  expect(fresh).toBeGreaterThan(repaired[0]!)
  expect(fresh).toBeLessThan(repaired.at(-1)!)
})

test('an interrupted repair is completed after a crash, even when no further span is staged', async () => {
  await using world = await createWorld({ partitions: 1, config: { publishBytes: 1 } })
  const { faults } = await world.start()
  await world.stage([record(1, span(1), span(2)), record(1, span(3)), record(1, span(4))])
  await world.settled()
  faults.deadly = true
  let commits = 0
  // The first commit publishes the window. The second commit repairs one record, and the third commit repairs another.
  faults.fate = () => (++commits === 3 ? 'lost' : 'done')
  await world.stage([late(1)])
  await world.settled()
  expect(world.running.isDead).toBe(true)
  await world.stop()
  world.loseState()
  await world.start()
  await world.settled()
  const { spans } = await proven(world)
  expect(repairedFills(spans).length).toBe(5)
})

test('when the responses to the commits of a window and of its repair are lost, the owner knows that its older record is superseded, and continues', async () => {
  await using world = await createWorld({ partitions: 1 })
  const { faults } = await world.start()
  await world.stage([record(1, span(1))])
  await world.settled()
  let commits = 0
  faults.fate = () => (++commits <= 2 ? 'lost' : 'done')
  await world.stage([late(1)])
  await world.settled()
  const { spans } = await proven(world)
  expect(commits).toBe(2)
  expect(repairedFills(spans).length).toBe(2)
  world.advance(testConfig.windowMs)
  await world.stage([record(2, span(2))])
  await world.settled()
  expect(newestSpans((await proven(world)).spans).size).toBe(3)
})

// Kills the propagator while it publishes a window. Spans continue to arrive during this time. After the restart, the rest of the window
// gets the same attributes, even if the published records have expired.
import { topicNames } from '@svc-server/modes/names'
import { expect, test } from 'vitest'
import { newestSpans } from './published.ts'
import { hexOf, type StagedRecord, type StagedSpan, startUs } from './staged.ts'
import { createWorld, testConfig, type World } from './world.ts'

const span = (number: number, says: StagedSpan['says'] = {}): StagedSpan => ({ spanId: hexOf(number, 16), startUs: startUs + number, says })
const record = (trace: number, ...spans: StagedSpan[]): StagedRecord => ({ projectId: 'p', traceId: hexOf(trace, 32), spans })
const fillers = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => record(from + index, { ...span(from + index), name: 'x'.repeat(300) }))

const [whole, late, long] = [1, 2, 3]
const traces = [whole, late, long]
const before = record(late, span(20, { 'user.id': 'bob' }))
const window = [
  record(whole, { ...span(10, { 'user.id': 'alice', 'session.id': 's1' }), root: true }),
  record(late, span(21, { 'session.id': 's2' })),
  record(long, ...[30, 31, 32].map(number => span(number, { 'user.id': 'carol' }))),
  ...fillers(1_000, 150),
  record(whole, span(11)),
  record(late, span(22)),
  record(long, span(33)),
]
const meanwhile = fillers(2_000, 40)

/** Appends each record separately, so that only a part of the records can expire. All records of one append expire together. */
async function stage(world: World, records: readonly StagedRecord[]): Promise<void> {
  for (const one of records) await world.stage([one])
}

async function publish({ isKilled, maxBytes }: { readonly isKilled: boolean; readonly maxBytes: number }) {
  const config = { publishBytes: 20_000, maxTraceSpans: 3 }
  await using world = await createWorld({ partitions: 1, maxTopicBytes: { [topicNames.staging]: maxBytes }, config })
  const { faults } = await world.start()
  const exits = () => world.running.metric('svc_propagator_window_exit_total')
  await stage(world, [before])
  await world.settled()
  world.advance(testConfig.windowMs)
  await stage(world, window)
  let exited = -1
  if (isKilled) {
    let commits = 0
    faults.deadly = true
    faults.fate = () => (++commits === 3 ? 'refused' : 'done')
    await world.settled()
    expect(world.running.isDead).toBe(true)
    exited += await exits()
    await stage(world, meanwhile)
    await world.stop()
    await world.start()
  } else {
    await world.settled()
    await stage(world, meanwhile)
  }
  const { lowWatermark } = (await world.log.describe()).find(({ spec }) => spec.name === topicNames.staging)!.partitions[0]!
  await world.settled()
  exited += (await exits()) - meanwhile.length
  world.advance(testConfig.windowMs)
  await stage(
    world,
    traces.map(trace => record(trace, span(100 + trace))),
  )
  await world.settled()
  const { spans, windows } = await world.published()
  const isOfTraces = (key: string) => traces.some(trace => key.startsWith(`p/${hexOf(trace, 32)}/`))
  const fills = [...newestSpans(spans).values()].filter(({ id }) => isOfTraces(id)).map(({ id, fill }) => [spanNumber(id), fill] as const)
  return {
    lowWatermark,
    exited,
    // Leaves out span 20. The staged record of this span has expired, so a repair cannot read the span.
    fills: Object.fromEntries(fills.filter(([number]) => number !== 20)),
    records: windows
      .filter(({ key, firstOffset, generation }) => isOfTraces(key) && firstOffset === 1 && generation === 0)
      .map(({ key, lastOffset, offsets, spans: count, totalSpans, candidates }) => ({
        ...{ key, lastOffset, offsets, count, totalSpans, candidates },
      })),
  }
}

const spanNumber = (id: string): number => Number.parseInt(id.slice(0, id.indexOf('@')).slice(-16), 16)

test.each([
  { what: 'is still on the topic', maxBytes: 1_000_000, lowWatermark: 0 },
  { what: 'has expired from the topic', maxBytes: 85_000, lowWatermark: expect.toSatisfy((low: number) => low > window.length / 10) },
])(
  'F23 · killed within a window whose beginning $what: spans and records equal those of an undisturbed run',
  async ({ maxBytes, lowWatermark }) => {
    const undisturbed = await publish({ isKilled: false, maxBytes: 1_000_000 })
    expect(undisturbed).toMatchObject({
      exited: window.length - traces.length,
      fills: { 11: { userId: 'alice', sessionId: 's1' }, 22: { userId: 'bob', sessionId: 's2' }, 32: { userId: 'carol' }, 33: {} },
    })
    expect(await publish({ isKilled: true, maxBytes })).toEqual({ ...undisturbed, lowWatermark })
  },
)

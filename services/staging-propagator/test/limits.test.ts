import { expect, test } from 'vitest'
import { newestSpans, problemsOf } from './published.ts'
import { hexOf, newItemRecord, type StagedRecord, type StagedSpan, startMs, startUs } from './staged.ts'
import { createWorld } from './world.ts'

const span = (number: number, says: StagedSpan['says'] = {}): StagedSpan => ({ spanId: hexOf(number, 16), startUs: startUs + number, says })
const record = (projectId: string, trace: number, ...spans: StagedSpan[]): StagedRecord => ({ projectId, traceId: hexOf(trace, 32), spans })

test('F26 · a trace of 100,000 spans is filled up to the limit and published unfilled beyond it; other traces are unaffected', async () => {
  await using world = await createWorld()
  await world.start({ maxTraceSpans: 50_000 })
  const perRecord = 500
  for (let from = 0; from < 100_000; from += 10 * perRecord) {
    const records = Array.from({ length: 10 }, (_, index) => {
      const first = from + index * perRecord
      return record('hot', 1, ...Array.from({ length: perRecord }, (_, i) => span(first + i + 1, { 'user.id': 'alice' })))
    })
    await world.stage([...records, record('calm', 100 + from, span(200_000 + from, { 'session.id': `${from}` }), span(200_001 + from))])
  }
  await world.settled()
  // The root arrives last, as in production.
  await world.stage([record('hot', 1, { ...span(300_000, { 'session.id': 'late' }), root: true })])
  await world.settled()

  const { metric } = world.running
  expect(await metric('svc_propagator_spans_total', 'unfilled')).toBe(50_001)
  expect(await metric('svc_propagator_window_exit_total', 'over_trace_limit')).toBe(2)
  expect(await metric('svc_propagator_republished_spans_total')).toBe(50_000)
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.spans.length).toBe(100_001 + 50_000 + 40)
  let filled = 0
  for (const { id, fill } of newestSpans(published.spans).values()) {
    if (id.startsWith('calm')) expect(Object.keys(fill)).toEqual(['sessionId'])
    else if ('userId' in fill) {
      filled++
      expect(fill).toMatchObject({ userId: 'alice', sessionId: 'late' })
    } else expect(fill).toEqual({})
  }
  expect(filled).toBe(50_000)
})

test('F26 · when a trace exceeds its limit in a later window, its filled spans stay filled', async () => {
  await using world = await createWorld({ config: { maxTraceSpans: 5 } })
  await world.start()
  for (let number = 1; number <= 4; number++) {
    const first = 2 * number
    await world.stage([record('p', 1, span(first, { 'user.id': 'alice' }), span(first + 1))])
    await world.settled()
  }
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect([...newestSpans(published.spans).values()].map(({ fill }) => fill.userId)).toEqual([
    ...Array.from({ length: 6 }, () => 'alice'),
    undefined,
    undefined,
  ])
})

test('F26 · a trace that reaches its limit in a window with a crash is not counted twice', async () => {
  await using world = await createWorld({ partitions: 1, config: { maxTraceSpans: 4, maxProjectTraces: 2, publishBytes: 1 } })
  const { faults } = await world.start()
  let commits = 0
  faults.deadly = true
  faults.fate = () => (++commits === 2 ? 'lost' : 'done')
  const said = { 'user.id': 'alice' }
  await world.stage([
    record('p', 1, span(1, said), span(2)),
    record('p', 2, span(3, said)),
    record('p', 1, span(4), span(5)),
    record('p', 2, span(6)),
  ])
  await world.settled()
  expect(world.running.isDead).toBe(true)
  await world.stop()
  await world.start()
  await world.settled()
  expect(await world.running.metric('svc_propagator_windows_total', 'restart')).toBe(1)
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.spans.map(({ fill }) => fill)).toEqual(Array.from({ length: 6 }, () => ({ userId: 'alice' })))
})

test('F26 · a project’s traces above its limit are published unfilled, and other projects are filled', async () => {
  await using world = await createWorld({ partitions: 1, config: { maxProjectTraces: 10 } })
  await world.start()
  const said = (trace: number) => [span(trace, { 'user.id': `user ${trace}` }), span(1000 + trace)]
  await world.stage(Array.from({ length: 30 }, (_, trace) => record('greedy', trace + 1, ...said(trace + 1))))
  await world.stage(Array.from({ length: 10 }, (_, trace) => record('modest', trace + 1, ...said(trace + 1))))
  await world.settled()
  const { metric } = world.running
  expect(await metric('svc_propagator_window_exit_total', 'over_project_limit')).toBe(20)
  expect(await metric('svc_propagator_spans_total', 'unfilled')).toBe(40)
  // After a restart, the propagator still fills the traces that it knew before the restart, and no other traces of the project.
  await world.stop()
  await world.start()
  await world.stage([record('greedy', 1, span(2001)), record('greedy', 99, ...said(99)), record('modest', 10, span(2010))])
  await world.settled()

  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  const filled = (project: string) =>
    new Set(
      [...newestSpans(published.spans).values()]
        .filter(({ id, fill }) => id.startsWith(project) && fill.userId !== undefined)
        .map(({ id }) => id.split('/')[1]),
    )
  expect(filled('greedy')).toEqual(new Set(Array.from({ length: 10 }, (_, trace) => hexOf(trace + 1, 32))))
  expect(filled('modest')).toEqual(new Set(Array.from({ length: 10 }, (_, trace) => hexOf(trace + 1, 32))))
  expect([...newestSpans(published.spans).values()].filter(({ fill }) => fill.userId === undefined).length).toBe(42)
})

test('F26 · a trace whose id contains slashes is counted for its project, also after a restart', async () => {
  await using world = await createWorld({ partitions: 1, config: { maxProjectTraces: 10 } })
  await world.start()
  const item = (number: number) =>
    newItemRecord({ projectId: 'greedy', traceId: `session-${number}/1`, id: `${number}`, rootId: null, createdAtMs: startMs })
  await world.stage(Array.from({ length: 30 }, (_, number) => item(number)))
  await world.settled()
  const refused = () => world.running.metric('svc_propagator_window_exit_total', 'over_project_limit')
  expect(await refused()).toBe(20)
  await world.stop()
  await world.start()
  await world.stage([item(1), item(99), record('modest', 1, span(1))])
  await world.settled()
  expect(await refused()).toBe(1)
})

test('a full window closes early, and nothing else changes', async () => {
  await using world = await createWorld({ partitions: 1, config: { maxWindowTraces: 4, readBytes: 1 } })
  await world.start()
  await world.stage(Array.from({ length: 20 }, (_, trace) => record('p', trace + 1, span(trace + 1, { 'user.id': `user ${trace}` }))))
  await world.settled()
  expect(await world.running.metric('svc_propagator_windows_total', 'size')).toBe(5)
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.spans.map(({ fill }) => fill.userId)).toEqual(Array.from({ length: 20 }, (_, trace) => `user ${trace}`))
})

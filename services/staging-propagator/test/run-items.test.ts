// A run item applies only to its root span and the spans below it. model.test.ts tests other orders, repetitions and crashes.
import { recordOf } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import { publishedAs } from '@svc-server/entities/merged'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity, encodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { decodeStagedRunItem, encodeStagedRunItem, maxRunItemBytes, maxRunItemRootBytes } from '@svc-server/schema/staged-run-item'
import { expect, test } from 'vitest'
import { ingestionRecord } from './legacy-events.ts'
import { newestSpans, problemsOf, readTopic } from './published.ts'
import { hexOf, newItemRecord, type StagedItem, type StagedSpan, startMs, startUs } from './staged.ts'
import { createWorld, testConfig, type World } from './world.ts'

const trace = { projectId: 'p', traceId: hexOf(1, 32) }
const span = (number: number, parent: number | null, says: StagedSpan['says'] = {}): StagedSpan => ({
  spanId: hexOf(number, 16),
  startUs: startUs + number,
  ...(parent === null ? { root: true } : { parentId: hexOf(parent, 16) }),
  says,
})
const spans = (...of: StagedSpan[]) => ({ ...trace, spans: of })
const item = (id: string, root: number | null, changes: Partial<StagedItem> = {}): NewRecord =>
  newItemRecord({ ...trace, id, rootId: root === null ? null : hexOf(root, 16), createdAtMs: startMs, ...changes })

async function itemsOf(world: World): Promise<Readonly<Record<string, string | null>>> {
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  return Object.fromEntries(
    [...newestSpans(published.spans)].map(([id, { item: of }]) => [
      Number.parseInt(id.split('/')[2]!, 16),
      of && `${of.itemId} ${/^[0-9a-f]{16}$/.test(of.rootSpanId) ? Number.parseInt(of.rootSpanId, 16) : of.rootSpanId}`,
    ]),
  )
}
const cuts = (world: World, what = '') => world.running.metric('svc_propagator_run_item_cuts_total', what)
const republished = (world: World) => world.running.metric('svc_propagator_republished_spans_total')

test('a late item reaches the spans below its root, and no other spans are published again', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  await world.stage([spans(span(1, null), span(2, 1))])
  await world.settled()
  await world.stage([spans(span(3, 1))])
  await world.settled()
  await world.stage([spans(span(4, 3))])
  await world.settled()
  await world.stage([item('late', 3)])
  await world.settled()
  expect(await itemsOf(world)).toEqual({ 1: null, 2: null, 3: 'item of late 3', 4: 'item of late 3' })
  expect(await republished(world)).toBe(2)
  // The new span changes the run item of no published span. The propagator therefore publishes no span again.
  await world.stage([spans(span(5, 2))])
  await world.settled()
  expect(await republished(world)).toBe(2)
  expect(await world.running.metric('svc_propagator_pending_repairs')).toBe(0)
})

test('spans get the right items when items arrive first, a link late, and the trace’s root last', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  await world.stage([item('of the trace', null), item('of a span', 3)])
  await world.settled()
  await world.stage([spans(span(5, 4))])
  await world.settled()
  expect(await itemsOf(world)).toEqual({ 5: `item of of the trace t-${trace.traceId}` })
  await world.stage([spans(span(4, 3))])
  await world.settled()
  await world.stop()
  world.loseState()
  await world.start()
  await world.stage([spans(span(1, null), span(2, 1))])
  await world.settled()
  const [ofTrace, ofSpan] = ['item of of the trace 1', 'item of of a span 3']
  expect(await itemsOf(world)).toEqual({ 1: ofTrace, 2: ofTrace, 4: ofSpan, 5: ofSpan })
})

test('staged observations below the virtual root belong to the item of the trace', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  const environments = createEnvironmentNames({ prefixes: ['svc'] })
  const staged = (entityType: 'trace' | 'observation', entityId: string, eventType: string, body: object): NewRecord => {
    const identity = { projectId: 'p', entityType, entityId }
    const event = ingestionRecord({ ...identity, eventType, eventId: entityId, atMs: startMs, body }).record
    const state = stateOfEvent(decodeIngestionEvent(event.value!), environments)
    const published = { ...publishedAs(identity, null, state, startMs), versionMs: startMs }
    return { key: Buffer.from('p/a/trace'), value: encodeEntity(recordOf(identity, 'dual', published)) }
  }
  const traceId = 'a/trace'
  await world.stage([
    staged('trace', traceId, 'trace-create', { name: 'n' }),
    staged('observation', 'one', 'span-create', { traceId }),
    staged('observation', 'two', 'span-create', { traceId, parentObservationId: 'one' }),
    newItemRecord({ projectId: 'p', traceId, id: 'whole', rootId: null, createdAtMs: startMs }),
    newItemRecord({ projectId: 'p', traceId, id: 'part', rootId: 'two', createdAtMs: startMs }),
  ])
  await world.settled()
  const entities = (await readTopic(world.log, topicNames.filled))
    .filter(({ value }) => isEntity(value!))
    .map(({ value }) => decodeEntity(value!))
  const newest = new Map(
    entities.map(({ entityId, runItem }) => [entityId, runItem && [runItem.itemId, runItem.rootSpanId, runItem.expectedOutput]]),
  )
  expect(Object.fromEntries(newest)).toEqual({
    [traceId]: ['item of whole', 't-a/trace', '"expected of whole"'],
    one: ['item of whole', 't-a/trace', null],
    two: ['item of part', 'two', '"expected of part"'],
  })
})

test('data beyond a limit is left out and counted: a root id that no span can have, and contents that a record has no room for', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  const large = (record: NewRecord): NewRecord => {
    const contents = { expectedOutput: 'x'.repeat(maxRunItemBytes - 100) }
    return { ...record, value: encodeStagedRunItem({ ...decodeStagedRunItem(record.value!), ...contents }) }
  }
  await world.stage([
    spans(span(1, null), span(2, 1), span(3, 1)),
    large(item('second', 2)),
    large(item('third', 3)),
    item('nowhere', null, { rootId: 'x'.repeat(maxRunItemRootBytes + 1) }),
  ])
  await world.settled()
  expect(await itemsOf(world)).toEqual({ 1: null, 2: 'item of second 2', 3: 'item of third 3' })
  const newest = [...newestSpans((await world.published()).spans).values()]
  expect(newest.map(({ item: of }) => of?.expectedOutput?.length ?? 0)).toEqual([0, maxRunItemBytes - 100, 0])
  expect([await cuts(world, 'contents'), await cuts(world)]).toEqual([1, 1])
  expect(await world.running.metric('svc_propagator_cut_values_total')).toBe(1)
})

test('F17 · a damaged item becomes a dead letter without spans, an item without a trace is skipped, and spans continue', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  const { key, value } = item('damaged', null)
  await world.stage([
    { key: key!, value: value!.subarray(0, value!.byteLength - 3) },
    { key: null, value: value! },
    { key: Buffer.from('no trace'), value: value! },
    spans(span(1, null)),
  ])
  await world.settled()
  expect(await itemsOf(world)).toEqual({ 1: null })
  expect((await world.published()).deadLetters.map(({ reason, index }) => [reason, index])).toEqual([['record_undecodable', null]])
  expect(await world.running.metric('svc_propagator_spans_total')).toBe(1)
})

test('F26 · spans beyond the limit of their trace are published without its item, and not published again', async () => {
  await using world = await createWorld({ partitions: 1, config: { maxTraceSpans: 2 } })
  await world.start()
  await world.stage([spans(span(1, null)), spans(span(2, 1)), spans(span(3, 1)), item('whole', null)])
  await world.settled()
  await world.stage([spans(span(4, 1))])
  await world.settled()
  expect(await itemsOf(world)).toEqual({ 1: 'item of whole 1', 2: 'item of whole 1', 3: null, 4: null })
  expect(await republished(world)).toBe(2)
})

test('when an item has expired from the topic, spans that have it keep it and their old attributes, and later spans get none', async () => {
  await using world = await createWorld({ partitions: 1, maxTopicBytes: { [topicNames.staging]: 20_000 } })
  await world.start()
  const fillers = async (from: number, count: number) => {
    for (let number = from; number < from + count; number++)
      await world.stage([{ projectId: 'p', traceId: hexOf(number, 32), spans: [{ ...span(number, null), name: 'x'.repeat(300) }] }])
    await world.settled()
  }
  await world.stage([item('whole', null)])
  await fillers(100, 20)
  await world.stage([spans(span(1, null))])
  await world.settled()
  await fillers(200, 25)
  const { lowWatermark } = (await world.log.describe()).find(({ spec }) => spec.name === topicNames.staging)!.partitions[0]!
  expect(lowWatermark).toBeGreaterThan(0)
  world.advance(testConfig.windowMs)
  await world.stage([spans(span(2, 1, { 'user.id': 'alice' }))])
  await world.settled()
  const newest = [...newestSpans((await world.published()).spans).values()].filter(({ id }) => id.includes(`/${trace.traceId}/`))
  expect(newest.map(({ item: of, fill }) => [of?.itemId, fill.userId])).toEqual([
    ['item of whole', undefined],
    [undefined, 'alice'],
  ])
  expect([await cuts(world, 'what="gone"'), await world.running.metric('svc_propagator_repair_lost_records_total')]).toEqual([1, 1])
})

import { entityOfRecord } from '@svc-server/entities/codec'
import { saidValue } from '@svc-server/entities/state'
import { AppError } from '@svc-server/errors'
import type { LogRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { decodeDeadLetter } from '@svc-server/schema/dead-letter'
import { decodeEntity } from '@svc-server/schema/entity'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import type { OlderRows } from '../src/older-rows.ts'
import { ingestionRecord, traceIdOf } from './events.ts'
import { hexOf, newRecord, readTopic, startMs, startUs } from './spans.ts'
import { createMergerWorld, type MergerWorld } from './world.ts'

const trace = traceIdOf(1)

type Fields = Parameters<typeof ingestionRecord>[0]
const traceEvent = (more: Partial<Fields> = {}) =>
  ingestionRecord({
    projectId: 'p',
    entityType: 'trace',
    entityId: trace,
    eventType: 'trace-create',
    eventId: 'e',
    atMs: startMs,
    body: { name: 'n' },
    ...more,
  })
const spanEvent = (more: Partial<Fields> = {}) =>
  ingestionRecord({
    projectId: 'p',
    entityType: 'observation',
    entityId: 'o',
    eventType: 'span-create',
    eventId: 'e',
    atMs: startMs,
    body: { traceId: trace },
    ...more,
  })

const send = (world: MergerWorld, ...sent: readonly ReturnType<typeof ingestionRecord>[]) =>
  world.append(
    'ingestion',
    sent.map(({ record }) => record),
  )
const entitiesOf = async (world: MergerWorld, topic: string = topicNames.entities) =>
  (await readTopic(world.log, topic)).map(({ value }) => decodeEntity(value!))

test('a repeated event publishes nothing, even after the loss of the state', async () => {
  await using world = await createMergerWorld()
  await world.start()
  await send(world, traceEvent(), spanEvent())
  await world.settled()
  const before = await entitiesOf(world)
  // The merger also publishes a part for the observation's trace. `legacyChild` marks this part.
  expect(before.map(({ entityType, legacyChild }) => [entityType, legacyChild]).sort()).toEqual([
    ['observation', false],
    ['trace', false],
    ['trace', true],
  ])
  await send(world, traceEvent(), spanEvent())
  await world.settled()
  await world.stop()
  world.loseState()
  await world.start()
  await send(world, traceEvent(), spanEvent())
  await world.settled()
  expect(await entitiesOf(world)).toEqual(before)
})

test('the write mode on a record decides its tables, whatever the mode of this process', async () => {
  await using world = await createMergerWorld({ writeMode: 'dual' })
  await world.start()
  await send(world, traceEvent({ writeMode: 'legacy' }))
  await world.settled()
  expect(await entitiesOf(world, topicNames.staging)).toEqual([])
  // At this point, the entity is only in the old tables. After a process in `dual` mode has accepted the event again, the events tables
  // also have the entity.
  await send(world, traceEvent({ writeMode: 'dual' }))
  await world.settled()
  expect((await entitiesOf(world)).map(({ writeMode }) => writeMode).join()).toBe('legacy,dual')
  expect((await entitiesOf(world, topicNames.staging)).map(({ entityId }) => entityId)).toEqual([trace])
  await send(world, traceEvent({ eventId: 'later', body: { name: 'm' }, writeMode: 'legacy' }))
  await send(world, traceEvent({ eventId: 'nowhere', body: { name: 'x' }, writeMode: 'events_only' }))
  await world.settled()
  expect((await entitiesOf(world)).map(({ writeMode }) => writeMode).join()).toBe('legacy,dual,legacy')
  expect((await entitiesOf(world, topicNames.staging)).length).toBe(1)
})

test('a staged entity is in the same partition as the spans of its trace', async () => {
  await using world = await createMergerWorld()
  await world.start()
  await world.append('spans.staging', [newRecord({ projectId: 'p', traceId: trace, spans: [{ spanId: hexOf(1, 16), startUs }] })])
  await send(world, spanEvent())
  await world.settled()
  const staged = await readTopic(world.log, topicNames.staging)
  expect(new Set(staged.map(({ key }) => key!.toString()))).toEqual(new Set([`p/${trace}`]))
  expect(await world.metric('svc_merger_unreadable_records_total')).toBe(0)
  expect(new Set(staged.map(({ partition }) => partition)).size).toBe(1)
})

test('only events that cannot be merged become dead letters, each with its reason', async () => {
  await using world = await createMergerWorld({ config: { maxEntityBytes: 4000 } })
  await world.start()
  const large = 'x'.repeat(3000)
  await send(
    world,
    { topic: 'ingestion', record: { key: Buffer.from('k'), value: Buffer.from('no record') } },
    traceEvent({ eventId: 'a', body: { input: large } }),
    traceEvent({ eventId: 'b', body: { output: large } }),
    traceEvent({ eventId: 'c', body: { name: 'small' } }),
    traceEvent({ eventId: 'd', body: [] }),
  )
  await world.settled()
  const deadLetters = (await readTopic(world.log, topicNames.deadLetter)).map(({ value }) => decodeDeadLetter(value!))
  expect(deadLetters.map(({ stage, reason, projectId }) => [stage, reason, projectId]).sort()).toEqual([
    ['merger', 'malformed', 'p'],
    ['merger', 'record_undecodable', null],
    ['merger', 'too_large', 'p'],
  ])
  const { state } = entityOfRecord((await entitiesOf(world)).at(-1)!)
  expect([saidValue(state, 'name'), saidValue(state, 'input')?.length, saidValue(state, 'output')]).toEqual(['small', 3000, null])
  expect([await world.metric('svc_merger_events_total', 'merged'), await world.metric('svc_merger_events_total', 'dead_lettered')]).toEqual(
    [2, 3],
  )
})

test('unknown entities are looked up together, and only once', async () => {
  const asked: number[] = []
  const older: OlderRows = {
    find: async entities => {
      asked.push(entities.length)
      return new Map()
    },
  }
  await using world = await createMergerWorld({ older, partitions: 1, writeMode: 'legacy' })
  await world.start()
  await send(world, ...Array.from({ length: 20 }, (_, at) => spanEvent({ entityId: `o${at}`, body: { traceId: trace } })))
  await world.settled()
  await send(world, ...Array.from({ length: 20 }, (_, at) => spanEvent({ entityId: `o${at}`, eventId: 'again', body: { name: 'n' } })))
  await world.settled()
  expect(asked).toEqual([20])
})

test('rows that are found in the old tables are counted in the limit of a chunk, like records', async () => {
  const published: number[] = []
  const row = {
    startMs,
    versionMs: startMs,
    createdMs: startMs,
    environment: 'default',
    metadata: {},
    texts: { traceId: trace, input: 'x'.repeat(8_000) },
  }
  const older: OlderRows = {
    find: async entities => {
      published.push((await entitiesOf(world)).length)
      return new Map(entities.map(({ entityId }) => [`p/observation/${entityId}`, { row, root: null }]))
    },
  }
  await using world = await createMergerWorld({ older, partitions: 1, writeMode: 'legacy', config: { chunkBytes: 1_000_000 } })
  await world.start()
  await send(world, ...Array.from({ length: 450 }, (_, at) => spanEvent({ entityId: `o${at}` })))
  await world.settled()
  expect(published).toEqual([0, 200, 400])
  expect((await entitiesOf(world)).length).toBe(450)
})

test('a row on which the merger’s code throws affects only the events of its entity', async () => {
  const row = { startMs, versionMs: startMs, createdMs: startMs, environment: 'default', texts: {}, metadata: { text: 3 as never } }
  const older: OlderRows = { find: async () => new Map([['p/observation/bad', { row, root: null }]]) }
  await using world = await createMergerWorld({ older, partitions: 1, writeMode: 'legacy' })
  await world.start()
  await send(world, spanEvent({ entityId: 'bad' }), spanEvent({ entityId: 'good' }))
  await world.settled()
  const deadLetters = (await readTopic(world.log, topicNames.deadLetter)).map(({ value }) => decodeDeadLetter(value!))
  expect(deadLetters.map(({ reason, projectId, offset }) => [reason, projectId, offset])).toEqual([['exception', 'p', 0]])
  expect((await entitiesOf(world)).map(({ entityId }) => entityId)).toEqual(['good'])
})

test('during an outage of the column store the partition pauses, reports it, and continues afterwards', async () => {
  let isAway = true
  const older: OlderRows = {
    find: async () => {
      if (isAway) throw new AppError('column_store_unavailable', 'Nobody answers.')
      return new Map()
    },
  }
  await using world = await createMergerWorld({ older, partitions: 1, config: { storeSilenceMs: 500, stuckThresholdMs: 1_000 } })
  await world.start()
  await send(world, traceEvent())
  await waitFor(async () => (await world.metric('svc_merger_retries_total', 'column_store_unavailable')) > 1, { what: 'a second try' })
  const says = async (probe: 'ready' | 'progress') => JSON.stringify((await world.health.evaluate(probe)).body.checks['merger'])
  await waitFor(async () => (await says('ready')).includes('ingestion/0 is paused and retries: column_store_unavailable:'), {
    what: 'it to be said',
  })
  await waitFor(async () => (await world.health.evaluate('progress')).status === 503, { what: 'the merger to be stuck' })
  expect(await world.metric('svc_merger_lag_seconds')).toBe(0)
  isAway = false
  await world.settled()
  expect((await entitiesOf(world)).length).toBe(1)
  expect(await says('progress')).toBe('{"ok":true}')
  await waitFor(async () => (await says('ready')) === '{"ok":true}', { what: 'the merger to be ready' })
})

test('if trace attributes exceed the size of a record, those that fit are merged, and the partition continues', async () => {
  await using world = await createMergerWorld({ writeMode: 'legacy', config: { maxEntityBytes: 7 << 20 } })
  await world.start()
  const root = { spanId: hexOf(1, 16), root: true, startUs, name: 'answer' }
  const say = (says: Readonly<Record<string, string>>) =>
    newRecord({ projectId: 'p', traceId: trace, encoding: 'gzip', spans: [{ ...root, says: { 'user.id': 'alice', ...says } }] })
  await world.append('spans.direct', [say({ 'svc.trace.input': 'x'.repeat(9 << 20), 'svc.trace.output': 'short' })])
  await world.settled()
  const { state } = entityOfRecord((await entitiesOf(world)).at(-1)!)
  expect(['name', 'userId', 'output', 'input'].map(name => saidValue(state, name as never))).toEqual(['answer', 'alice', 'short', null])
  expect(await world.metric('svc_merger_cut_values_total')).toBe(1)
})

test('an entity that a newer version wrote halts its partition and is not overwritten', async () => {
  await using world = await createMergerWorld({ partitions: 1 })
  await world.start()
  await send(world, traceEvent())
  await world.settled()
  const [{ key, value }] = (await readTopic(world.log, topicNames.entities)) as [LogRecord]
  const newer = Buffer.from(value!)
  newer[2]! ^= 0xff
  await world.append('entities', [
    { key, value: Buffer.from('no record'), partition: 0 },
    { key, value: newer, partition: 0 },
  ])
  await send(world, traceEvent({ eventId: 'later', body: { name: 'm' } }))
  await waitFor(async () => (await world.metric('svc_merger_halted')) === 1, { what: 'the partition to halt' })
  expect((await readTopic(world.log, topicNames.entities)).length).toBe(3)
  expect(JSON.stringify((await world.health.evaluate('ready')).body)).toContain('written by a newer version')
})

test('records that were accepted in another mode are counted, and merged in that mode', async () => {
  await using world = await createMergerWorld({ writeMode: 'events_only' })
  await world.start()
  await send(world, traceEvent({ writeMode: 'legacy' }), spanEvent({ writeMode: 'dual', body: {} }))
  await world.settled()
  expect(await world.metric('svc_merger_other_mode_records_total', 'legacy')).toBe(1)
  expect(await world.metric('svc_merger_other_mode_records_total', 'dual')).toBe(1)
})

test('a parentless span among the rows of the events tables becomes the root of its trace', async () => {
  const root = { startUs: startUs - 5, spanId: hexOf(9, 16) }
  const older: OlderRows = { find: async entities => new Map(entities.map(({ entityId }) => [`p/trace/${entityId}`, { row: null, root }])) }
  await using world = await createMergerWorld({ older })
  await world.start()
  await send(world, traceEvent())
  await world.settled()
  expect((await entitiesOf(world)).map(each => each.root)).toEqual([root])
})

test('entities expire from the state when they expire from the log', async () => {
  const asked: string[][] = []
  const older: OlderRows = {
    find: async entities => {
      asked.push(entities.map(({ entityId }) => entityId))
      return new Map()
    },
  }
  await using world = await createMergerWorld({ config: { retentionMs: 1000 }, partitions: 1, writeMode: 'legacy', older })
  await world.start()
  await send(world, spanEvent({ entityId: 'old' }))
  await world.settled()
  world.clock.advance(5000)
  await send(world, spanEvent({ entityId: 'new' }))
  await world.settled()
  await send(
    world,
    spanEvent({ entityId: 'newer' }),
    spanEvent({ entityId: 'old', eventId: 'again', body: { name: 'n', traceId: trace } }),
    spanEvent({ entityId: 'new', eventId: 'again', body: { name: 'n' } }),
  )
  await world.settled()
  expect(asked).toEqual([['old'], ['new'], ['newer', 'old']])
})

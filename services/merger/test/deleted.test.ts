import { createDenials } from '@svc-server/deletions/denials'
import { entityOfRecord } from '@svc-server/entities/codec'
import { createObservationRows } from '@svc-server/entities/rows/observation'
import { traceRows, virtualRootRows } from '@svc-server/entities/rows/trace'
import { saidValue } from '@svc-server/entities/state'
import { topicNames } from '@svc-server/modes/names'
import { type Command, commandKey, encodeCommand } from '@svc-server/schema/command'
import { decodeEntity, type EntityRecord } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import { expect, test } from 'vitest'
import { ingestionRecord, traceIdOf } from './events.ts'
import { hexOf, newRecord, readTopic, startMs, startUs } from './spans.ts'
import { createMergerWorld, type MergerWorld } from './world.ts'

const secret = 'what nobody may see any more'
const [gone, kept] = [traceIdOf(1), traceIdOf(2)]
const observations = Array.from({ length: 12 }, (_, index) => `o${index}`)

const event = (entityType: 'trace' | 'observation', entityId: string, body: object, more: { eventId?: string; projectId?: string } = {}) =>
  ingestionRecord({
    ...{ projectId: 'p', entityType, entityId, eventId: 'e', atMs: startMs },
    ...{ eventType: entityType === 'trace' ? 'trace-create' : 'span-create', body: { name: secret, input: secret, ...body } },
    ...more,
  })

const send = (world: MergerWorld, ...sent: readonly ReturnType<typeof ingestionRecord>[]) =>
  world.append(
    'ingestion',
    sent.map(({ record }) => record),
  )

async function say(world: MergerWorld, command: Pick<Command, 'kind'> & Partial<Command>): Promise<void> {
  const said = { projectId: 'p', traceId: null, value: null, acceptedAtMs: startMs + 60_000, writeMode: 'dual', ...command } as const
  await world.append(topicNames.commands, [{ key: Buffer.from(commandKey(said)), value: encodeCommand(said) }])
}

/** Returns the records that compaction leaves: the newest record of each entity. */
async function left(world: MergerWorld): Promise<ReadonlyMap<string, EntityRecord>> {
  const records = (await readTopic(world.log, topicNames.entities)).map(({ value }) => decodeEntity(value!))
  return new Map(records.map(record => [entityKey(record), record]))
}

const sendAll = (world: MergerWorld) =>
  send(
    world,
    event('trace', gone, { tags: [secret] }),
    event('trace', kept, {}),
    ...observations.map(id => event('observation', id, { traceId: gone, metadata: { [secret]: 1 } })),
    event('observation', 'other', { traceId: kept }),
    event('trace', gone, {}, { projectId: 'q' }),
  )

const holds = (record: EntityRecord): boolean => JSON.stringify(record).includes(secret)
const lookup = { models: () => undefined, prompts: () => undefined } as never
const rowsOf = (record: EntityRecord): readonly object[] => {
  const entity = entityOfRecord(record)
  if (record.entityType === 'trace') return [...traceRows(entity), ...virtualRootRows(entity)]
  const rows = createObservationRows(lookup)
  return [...rows.old(entity), ...rows.events(entity)]
}

test('a deleted trace leaves only ids in every partition, and later events of it are not merged', async () => {
  const denials = createDenials()
  await using world = await createMergerWorld({ partitions: 4, denials })
  await world.start()
  await sendAll(world)
  await world.settled()
  await say(world, { kind: 'delete_trace', traceId: gone })
  await world.settled()
  const after = await left(world)
  for (const id of observations) {
    const record = after.get(`p/observation/${id}`)!
    expect(holds(record)).toBe(false)
    expect(saidValue(entityOfRecord(record).state, 'traceId')).toBe(gone)
    expect(rowsOf(record)).toEqual([])
  }
  expect(holds(after.get(`p/trace/${gone}`)!)).toBe(false)
  expect(rowsOf(after.get(`p/trace/${gone}`)!)).toEqual([])
  for (const key of [`p/trace/${kept}`, 'p/observation/other', `q/trace/${gone}`]) expect(holds(after.get(key)!)).toBe(true)

  // All these records arrive after the deletion. The first two are events of the deleted trace and of its observation. Then comes a new
  // observation that names the trace only in its first event. The last record is a span with attributes.
  await send(world, event('trace', gone, {}, { eventId: 'late' }), event('observation', 'o1', {}, { eventId: 'late' }))
  await send(world, event('observation', 'new', { traceId: gone }))
  await send(world, event('observation', 'new', {}, { eventId: 'late' }))
  const span = { spanId: hexOf(1, 16), root: true, startUs, name: secret, says: { 'user.id': secret } }
  await world.append('spans.staging', [newRecord({ projectId: 'p', traceId: gone, spans: [span] })])
  await world.settled()
  await world.stop()
  // The next merger has no local state, only the log.
  world.loseState()
  denials.add({ projectId: 'p', traceId: gone })
  await world.start()
  await send(world, event('observation', 'o2', {}, { eventId: 'later' }), event('trace', gone, {}, { eventId: 'later' }))
  await world.settled()
  const late = [...(await left(world)).values()].filter(
    ({ projectId, entityId }) => projectId === 'p' && entityId !== kept && entityId !== 'other',
  )
  expect(late.filter(holds)).toEqual([])
  expect(late.flatMap(rowsOf)).toEqual([])
})

test('a deleted project leaves only ids, and its neighbor is complete', async () => {
  await using world = await createMergerWorld()
  await world.start()
  await sendAll(world)
  await world.settled()
  await say(world, { kind: 'delete_project' })
  await world.settled()
  await sendAll(world)
  await world.settled()
  const records = [...(await left(world)).values()]
  expect(records.filter(holds).map(entityKey)).toEqual([`q/trace/${gone}`])
  expect(records.filter(({ projectId }) => projectId === 'p').flatMap(rowsOf)).toEqual([])
  expect(await world.metric('svc_merger_events_total', 'denied')).toBeGreaterThan(10)
})

test('events of data that was deleted before the process started create no entity', async () => {
  const denials = createDenials()
  denials.add({ projectId: 'p', traceId: gone })
  await using world = await createMergerWorld({ denials })
  await world.start()
  await sendAll(world)
  await world.settled()
  const after = await left(world)
  expect([...after.values()].filter(holds).map(entityKey).sort()).toEqual(['p/observation/other', `p/trace/${kept}`, `q/trace/${gone}`])
  expect(after.has(`p/trace/${gone}`)).toBe(false)
})

test('a deletion that a crash interrupts is completed after the restart', async () => {
  for (let allowed = 0; allowed < 4; allowed++) {
    await using world = await createMergerWorld({ partitions: 1 })
    await world.start()
    await sendAll(world)
    await world.settled()
    let commits = 0
    world.faults.deadly = true
    world.faults.fate = () => (++commits > allowed ? (allowed % 2 === 0 ? 'refused' : 'lost') : 'done')
    await say(world, { kind: 'delete_trace', traceId: gone })
    await world.settled()
    await world.stop()
    await world.start()
    await world.settled()
    const after = [...(await left(world)).values()]
    expect(after.filter(holds).map(entityKey).sort()).toEqual(['p/observation/other', `p/trace/${kept}`, `q/trace/${gone}`])
  }
})

test('a trace’s row has the flag that was set last, and a flag of an unknown trace makes no row', async () => {
  await using world = await createMergerWorld()
  await world.start()
  await say(world, { kind: 'set_bookmarked', traceId: kept, value: true })
  await say(world, { kind: 'set_public', traceId: 'unknown', value: true })
  await world.settled()
  expect([...(await left(world)).values()].flatMap(rowsOf)).toEqual([])
  await sendAll(world)
  await say(world, { kind: 'set_public', traceId: gone, value: true })
  await say(world, { kind: 'set_public', traceId: gone, value: false, acceptedAtMs: startMs + 61_000, writeMode: 'events_only' })
  await say(world, { kind: 'set_public', traceId: kept, value: true })
  await world.settled()
  const after = await left(world)
  const flags = (traceId: string) =>
    rowsOf(after.get(`p/trace/${traceId}`)!).map(row => [Reflect.get(row, 'bookmarked'), Reflect.get(row, 'public')])
  expect(flags(kept)).toEqual([
    [1, 1],
    [1, 1],
  ])
  expect(flags(gone)).toEqual([
    [0, 0],
    [0, 0],
  ])
  expect(rowsOf(after.get(`p/trace/${kept}`)!)[0]).toMatchObject({ name: secret })
})

test('the walk for deleted entities runs in slices with merges in between, and the next owner of the partition continues it', async () => {
  const denials = createDenials()
  // The merger walks over all entities to find deleted entities. With these settings, each slice of this walk ends after one entity.
  await using world = await createMergerWorld({ partitions: 1, denials, config: { slices: { idsAtATime: 1, sliceMs: 0 } } })
  await world.start()
  await sendAll(world)
  await world.settled()
  // The merger dies at its fifth commit, before it has withdrawn all entities. The next merger must withdraw the other entities.
  let pieces = 0
  world.faults.fate = () => (++pieces > 4 ? 'refused' : 'done')
  world.faults.deadly = true
  await say(world, { kind: 'delete_trace', traceId: gone })
  await world.settled()
  const half = [...(await left(world)).values()].filter(({ entityId }) => observations.includes(entityId))
  expect(half.filter(holds).length).toBeGreaterThan(0)
  expect(half.filter(holds).length).toBeLessThan(observations.length)
  await world.stop()
  denials.add({ projectId: 'p', traceId: gone })
  await world.start()
  await send(world, ...Array.from({ length: 20 }, (_, at) => event('observation', `between-${at}`, { traceId: kept })))
  await send(world, event('observation', 'o11', {}, { eventId: 'late' }))
  await say(world, { kind: 'delete_trace', traceId: traceIdOf(3) })
  await world.settled()
  const after = await left(world)
  for (const id of observations) expect([id, holds(after.get(`p/observation/${id}`)!)]).toEqual([id, false])
  for (let at = 0; at < 20; at++) expect(holds(after.get(`p/observation/between-${at}`)!)).toBe(true)
  expect(holds(after.get(`p/observation/other`)!)).toBe(true)
  expect(world.bugs).toEqual([])
})

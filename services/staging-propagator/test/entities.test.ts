// The propagator treats the entities that the merger stages like spans: an entity waits for the end of its window, and gets the attributes
// of its trace.
import { recordOf } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import { publishedAs } from '@svc-server/entities/merged'
import { type EntityState, joinStates, nothingSaid } from '@svc-server/entities/state'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity, encodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { expect, test } from 'vitest'
import { ingestionRecord, traceIdOf } from './legacy-events.ts'
import { readTopic } from './published.ts'
import { hexOf, startMs, startUs } from './staged.ts'
import { createWorld, type World } from './world.ts'

const traceId = traceIdOf(1)
const environments = createEnvironmentNames({ prefixes: ['svc'] })
const trace = { projectId: 'p', entityType: 'trace', entityId: traceId } as const
const observation = { projectId: 'p', entityType: 'observation', entityId: 'any id' } as const

const said = (identity: typeof trace | typeof observation, eventType: string, body: object, atMs = startMs): EntityState =>
  stateOfEvent(
    decodeIngestionEvent(ingestionRecord({ ...identity, eventType, eventId: `${atMs}`, atMs, body }).record.value!),
    environments,
  )

const staged = (identity: typeof trace | typeof observation, state: EntityState, versionMs: number): NewRecord => ({
  key: Buffer.from(`p/${traceId}`),
  value: encodeEntity(recordOf(identity, 'dual', { ...publishedAs(identity, null, state, versionMs), versionMs })),
})

const filled = async (world: World) => (await readTopic(world.log, topicNames.filled)).map(({ value }) => value!)
const entitiesOf = async (world: World) => (await filled(world)).filter(isEntity).map(value => decodeEntity(value))

test('an entity and the spans of its trace are filled with the trace’s attributes', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  await world.stage([
    staged(observation, said(observation, 'span-create', { traceId }), startMs),
    { projectId: 'p', traceId, spans: [{ spanId: hexOf(1, 16), startUs }] },
    staged(trace, said(trace, 'trace-create', { name: 'n', userId: 'alice', tags: ['t'] }), startMs),
  ])
  await world.settled()
  const values = await filled(world)
  const fills = values.map(value => (isEntity(value) ? decodeEntity(value) : decodeSpanBatch(value)).traceAttributes)
  expect(fills).toEqual([0, 1, 2].map(() => ({ name: 'n', userId: 'alice', tags: ['t'] })))
  expect((await entitiesOf(world)).map(({ entityId, staged: origin }) => [entityId, origin!.generation])).toEqual([
    ['any id', 0],
    [traceId, 0],
  ])
})

test('a root that arrives later takes over the children, which are published again under it', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  const before = said(trace, 'trace-create', { name: 'n' })
  await world.stage([staged(observation, said(observation, 'span-create', { traceId }), startMs), staged(trace, before, startMs)])
  await world.settled()
  expect((await entitiesOf(world)).map(({ rootSpanId }) => rootSpanId)).toEqual([null, null])
  const after = joinStates(before, { ...nothingSaid, root: { startUs, spanId: hexOf(7, 16) } })
  await world.stage([staged(trace, after, startMs + 1)])
  await world.settled()
  const newest = new Map((await entitiesOf(world)).map(each => [`${each.entityId} ${each.versionMs}`, each]))
  expect([...newest.values()].map(({ rootSpanId }) => rootSpanId)).toEqual([hexOf(7, 16), hexOf(7, 16), hexOf(7, 16)])
  expect(newest.get(`any id ${startMs}`)!.staged!.generation).toBe(1)
})

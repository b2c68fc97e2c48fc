import { AppError } from '@svc-server/errors'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { inNightly, sized, waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { commitAt } from './commit-at.ts'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { killAt, type Point, withInsert } from './kill.ts'
import { now } from './world.ts'

eachTestHasItsWorld()

const month = 30 * 86_400_000
/** Spans of two months. */
const twoMonths = { count: 40, startMs: now - month, stepMs: month / 20 }
const stored = (rows: number) => ({ full: rows, core: rows, distinct: rows })

async function dieAt(point: Point): Promise<void> {
  const killed = killAt(point, world.log, world.columnStore)
  await world.writer({ log: killed.log, columnStore: killed.columnStore }).service.start()
  await killed.reached
}

const deaths: readonly (readonly [string, Point, number])[] = [
  ['F06 · after the intent, before the insert', 'after intent', 1],
  ['F07 · after the insert, before the acknowledgement', 'after insert', 1],
  ['after the acknowledgement', 'after acknowledgement', 0],
  ['before the intent', 'before intent', 0],
  ['F06 · with the block ready, before the insert', 'before insert', 1],
  ['F07 · at the acknowledgement', 'before acknowledgement', 1],
]
/**
 * `npm test` runs only the first three cases here. For the other points at which a writer can be killed, `npm test` runs
 * conformance.test.ts.
 */
describe.each(sized(deaths, deaths.slice(0, 3)))('the writer is killed %s', (_, point, replays) => {
  test('every row is stored once, raw', async () => {
    const sent = (await world.send({ count: 500 })) + (await world.send(twoMonths))
    await dieAt(point)
    const later = await world.send({ count: 100 })
    const next = world.writer()
    await next.service.start()
    await world.settled()
    expect(await world.counts()).toEqual(stored(sent + later))
    expect(await next.metric('svc_writer_intent_replayed_total')).toBe(replays)
    expect(next.bugs).toEqual([])
  })
})

// In `npm test`, conformance.test.ts and outage.test.ts cover this fault.
inNightly(() =>
  test('F08 · after an insert that was stored without a response, the writer probes instead of inserting again', async () => {
    const sent = (await world.send({ count: 300 })) + (await world.send(twoMonths))
    let lost = 0
    const columnStore = withInsert(world.columnStore, async request => {
      await world.columnStore.insert(request)
      if (lost++ === 0) throw timeout()
    })
    const writer = world.writer({ columnStore })
    await writer.service.start()
    await world.settled()
    expect(lost).toBe(1)
    expect(await world.counts()).toEqual(stored(sent))
  }),
)

test('F08 · an insert that is still running during its retry is stored once', async () => {
  const sent = await world.send({ count: 300 })
  let tries = 0
  const running = Promise.withResolvers<void>()
  const columnStore = withInsert(world.columnStore, async request => {
    tries += 1
    if (tries > 1) {
      // Both attempts have the same token. The test sends both attempts at the same time, so that either attempt can reach the engine
      // first.
      await Promise.all([world.columnStore.insert(request), running.promise])
      return
    }
    void waitFor(() => tries > 1, { what: 'the second try' })
      .then(() => world.columnStore.insert(request))
      .then(running.resolve, running.reject)
    throw timeout()
  })
  await world.writer({ columnStore }).service.start()
  await world.settled()
  expect(tries).toBe(2)
  expect(await world.counts()).toEqual(stored(sent))
})

test('the missing month is inserted again, and the engine recognizes the other month by its token', async () => {
  const sent = await world.send(twoMonths)
  await dieAt('after insert')
  // Simulates an engine that died after it had stored the part of one month, and before it stored the part of the other month.
  for (const table of ['events_full', 'events_core']) {
    await world.columnStore.command(`ALTER TABLE ${table} DROP PARTITION 202611`)
  }
  const rowsBefore = (await world.counts()).full
  expect(rowsBefore).toBeGreaterThan(0)
  expect(rowsBefore).toBeLessThan(sent)
  const inserted: number[] = []
  const columnStore = withInsert(world.columnStore, request => {
    inserted.push(request.body.length)
    return world.columnStore.insert(request)
  })
  const next = world.writer({ columnStore })
  await next.service.start()
  await world.settled()
  expect(inserted).toHaveLength(1)
  expect(await world.counts()).toEqual(stored(sent))
  expect(await next.metric('svc_writer_reinserted_rows_total', 'events_full')).toBe(sent - rowsBefore)
})

test('a month that is in events_full but not in events_core is copied, not inserted again', async () => {
  const sent = await world.send(twoMonths)
  await dieAt('after insert')
  await world.columnStore.command('ALTER TABLE events_core DROP PARTITION 202610')
  const lacking = sent - (await world.counts()).core
  let inserts = 0
  const columnStore = withInsert(world.columnStore, request => {
    inserts += 1
    return world.columnStore.insert(request)
  })
  const next = world.writer({ columnStore })
  await next.service.start()
  await world.settled()
  expect(inserts).toBe(0)
  expect(await world.counts()).toEqual(stored(sent))
  expect(await next.metric('svc_writer_reinserted_rows_total', 'events_core')).toBe(lacking)
})

test('newer versions of every row prove that the chunk is stored, because they would replace the writer’s own rows', async () => {
  const sent = await world.send({ count: 20, seed: 'same' })
  await dieAt('after intent')
  // A client's retry puts the same spans on another partition. The next writer stores these spans before it probes the dead writer's chunk.
  await world.send({ count: 20, seed: 'same', partition: 1 })
  const tokens: string[] = []
  const columnStore = withInsert(world.columnStore, request => {
    tokens.push(request.token)
    return world.columnStore.insert(request)
  })
  const otherIsStored = async () => (await world.log.committed(groupNames.writer, topicNames.direct)).get(1)?.offset === 1
  const patient: typeof columnStore = {
    ...columnStore,
    async query(sql, params) {
      if (sql.includes('events_full')) await waitFor(otherIsStored, { what: 'the newer rows' })
      return columnStore.query(sql, params)
    },
  }
  await world.writer({ columnStore: patient }).service.start()
  await world.settled()
  expect(tokens.filter(token => token.includes('/spans.direct/0/'))).toEqual([])
  expect(await world.counts()).toEqual(stored(sent))
})

test('F11 · the mapping changes between intent and replay, and no row is lost', async () => {
  const sent = await world.send(twoMonths)
  await dieAt('after intent')
  const committed = (await world.log.committed(groupNames.writer, topicNames.direct)).get(0)!
  const older = { ...JSON.parse(committed.metadata), mapping: 'an older one' }
  await commitAt(world.log, committed.offset, JSON.stringify(older))
  const next = world.writer()
  await next.service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent))
})

test('F09 · the replay stores exactly the announced range, although more records have arrived', async () => {
  await world.send({ count: 10 })
  await dieAt('after intent')
  await world.send({ count: 10 })
  const tokens: string[] = []
  const columnStore = withInsert(world.columnStore, request => {
    tokens.push(request.token)
    return world.columnStore.insert(request)
  })
  await world.writer({ columnStore }).service.start()
  await world.settled()
  expect(tokens.map(token => token.split('/')[4])).toEqual(['0-0', '1-1'])
})

test('F22 · a drain finishes the current chunk: exactly the acknowledged records are stored', async () => {
  const sent = await world.send({ count: 200 })
  const inserting = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const columnStore = withInsert(world.columnStore, async request => {
    inserting.resolve()
    await release.promise
    await world.columnStore.insert(request)
  })
  const writer = world.writer({ columnStore, config: { drainGraceMs: 10_000 } })
  await writer.service.start()
  await inserting.promise
  await world.send({ count: 100 })
  const drained = writer.service.drain()
  release.resolve()
  await drained
  const committed = (await world.log.committed(groupNames.writer, topicNames.direct)).get(0)!
  expect(committed).toMatchObject({ offset: 1, metadata: '' })
  expect(await world.counts()).toEqual(stored(sent))
})

test('F22 · an insert that exceeds the drain’s grace stays open, and the next start probes for it', async () => {
  const sent = await world.send({ count: 200 })
  const inserting = Promise.withResolvers<void>()
  const hanging = Promise.withResolvers<void>()
  const columnStore = withInsert(world.columnStore, async request => {
    await world.columnStore.insert(request)
    inserting.resolve()
    await hanging.promise
  })
  const writer = world.writer({ columnStore, config: { drainGraceMs: 20 } })
  await writer.service.start()
  await inserting.promise
  await writer.service.drain()
  await world.writer().service.start()
  await world.settled()
  hanging.resolve()
  expect(await world.counts()).toEqual(stored(sent))
})

const timeout = () => new AppError('column_store_unavailable', 'Timeout error.')

// What every destination is promised by the pipeline, asked of two that have nothing in common: events_full, and one that only tests have. Both are
// fed from the same chunk; whatever happens to one of them, each has every row once, raw, and a balanced row in the ledger.
import type { Engine } from '@svc-server/embedded-engine'
import { AppError } from '@svc-server/errors'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Destinations } from '../src/destinations/destination.ts'
import { events } from '../src/destinations/events.ts'
import { commitAt } from './commit-at.ts'
import { killAt, type Point, withInsert } from './kill.ts'
import { createTallies, tallies } from './second/tallies.ts'
import { createWorld, now, spanBatch, startTestEngine, type World } from './world.ts'

let engine: Engine
let stopEngine: () => Promise<void>
let world: World

beforeAll(async () => {
  ;({ engine, stop: stopEngine } = await startTestEngine())
})
afterAll(() => stopEngine())
beforeEach(async () => {
  world = await createWorld(engine)
  await createTallies(world.columnStore)
  await world.columnStore.command(`SYSTEM STOP MERGES ${world.columnStore.database}.${tallies.table}`)
})
afterEach(() => world.close())

const encoderScript = new URL('./second/worker.ts', import.meta.url)
const both: Destinations = { list: [events, tallies], encoderScript }
const month = 30 * 86_400_000
/** Spans of October, November and December in one record. */
const months = { count: 40, startMs: now - month, stepMs: month / 20 }
const timeout = () => new AppError('column_store_unavailable', 'Timeout error.')

const rowsIn = async (table: string) => Number((await world.columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]!.n)

async function ledger() {
  const rows = await world.columnStore.query<{ destination: string; chunks: string; spans: string; rows: string }>(
    `SELECT destination, count() AS chunks, sum(ingest_ledger.spans) AS spans, sum(ingest_ledger.rows) AS rows
     FROM ingest_ledger FINAL GROUP BY destination ORDER BY destination`,
  )
  return rows.map(({ destination, chunks, spans, rows: stored }) => [destination, Number(chunks), Number(spans), Number(stored)])
}

/** Every row once in all tables, raw; the ledger says the same of both destinations. */
async function expectEach(sent: number): Promise<void> {
  expect(await world.counts()).toEqual({ full: sent, core: sent, distinct: sent })
  expect(await rowsIn(tallies.table)).toBe(sent)
  const [ofEvents, ofTallies] = await ledger()
  expect([ofEvents?.[0], ofEvents?.[2], ofEvents?.[3]]).toEqual([events.table, sent, sent])
  expect(ofTallies).toEqual([tallies.table, ofEvents![1], sent, sent])
}

async function dieAt(point: Point, table: string): Promise<void> {
  const killed = killAt(point, world.log, world.columnStore, table)
  await world.writer({ log: killed.log, columnStore: killed.columnStore, destinations: both }).service.start()
  await killed.reached
}

async function finish(columnStore = world.columnStore) {
  const writer = world.writer({ columnStore, destinations: both })
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
  return writer
}

const points: readonly Point[] = [
  'before intent',
  'after intent',
  'before insert',
  'after insert',
  'before acknowledgement',
  'after acknowledgement',
]

describe.each(both.list.map(({ table }) => table))('%s', table => {
  test.each(points)('F06 · F07 · killed %s', async point => {
    const sent = (await world.send({ count: 300 })) + (await world.send(months))
    await dieAt(point, table)
    await finish()
    await expectEach(sent)
  })

  test.each([
    ['before', false],
    ['after', true],
  ])('F08 · an insert that is never answered, lost %s it reached the engine', async (_, reaches) => {
    const sent = await world.send(months)
    let left = 1
    await finish(
      withInsert(world.columnStore, async request => {
        if (request.table !== table || left-- <= 0) return world.columnStore.insert(request)
        if (reaches) await world.columnStore.insert(request)
        throw timeout()
      }),
    )
    await expectEach(sent)
  })

  test('F41 · a token that is burnt: the insert is answered, and the rows are not there', async () => {
    const sent = await world.send(months)
    await dieAt('before insert', table)
    const tokens: string[] = []
    await finish(
      withInsert(world.columnStore, async request => {
        if (request.table === table) tokens.push(request.token)
        if (request.table !== table || tokens.length > 1) await world.columnStore.insert(request)
      }),
    )
    await expectEach(sent)
    // The first attempt of the whole, then one a month under the next number.
    expect(tokens.map(token => token.split('/').slice(5, 6).concat(token.split('/').slice(7)))).toEqual([
      [table, '0'],
      [table, '1'],
      [table, '1'],
      [table, '1'],
    ])
  })

  test('a month that is missing is inserted again, and no other', async () => {
    const sent = await world.send(months)
    await dieAt('after insert', table)
    for (const one of table === events.table ? ['events_full', 'events_core'] : [table]) {
      await world.columnStore.command(`ALTER TABLE ${one} DROP PARTITION 202611`)
    }
    expect(await rowsIn(table)).toBeLessThan(sent)
    await finish()
    await expectEach(sent)
  })

  test('F14 · a row that is refused alone is a dead letter, once, and in the other table', async () => {
    const condition = table === events.table ? "name = 'span 7'" : "endsWith(id, '3030303030303037')"
    await world.columnStore.command(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK NOT (${condition})`)
    const sent = await world.send({ count: 50 })
    await finish()
    expect((await world.deadLetters()).map(({ id }) => id)).toEqual(['spans.direct/0/0/7'])
    const other = table === events.table ? tallies.table : events.table
    expect([await rowsIn(table), await rowsIn(other)]).toEqual([sent - 1, sent])
  })
})

test('a destination has the topics that it takes: one alone, or the same as others', async () => {
  const direct = await world.send({ count: 30 })
  await world.append(topicNames.overflow, spanBatch({ count: 20 }))
  const list = [{ ...events, sources: () => [topicNames.direct] }, tallies]
  await world.writer({ destinations: { list, encoderScript } }).service.start()
  await world.settled()
  expect([await rowsIn(events.table), await rowsIn(tallies.table)]).toEqual([direct, direct + 20])
})

test('a chunk in doubt across an upgrade that brings a destination: what is stored is not stored again, and the new table gets its rows', async () => {
  const sent = await world.send(months)
  const killed = killAt('before acknowledgement', world.log, world.columnStore)
  await world.writer({ log: killed.log, columnStore: killed.columnStore }).service.start()
  await killed.reached
  const { offset, metadata } = (await world.log.committed(groupNames.writer, topicNames.direct)).get(0)!
  // As the release before left it: an intent of one destination, and a row of the ledger that names none.
  expect(Object.keys(JSON.parse(metadata))).toEqual(['intent', 'mapping', 'mode', 'aliases', 'limits', 'snapshot'])
  await commitAt(world.log, offset, metadata)
  await world.columnStore.command("CREATE TABLE before ENGINE = Log AS SELECT * REPLACE ('' AS destination) FROM ingest_ledger")
  await world.columnStore.command('TRUNCATE TABLE ingest_ledger')
  await world.columnStore.command('INSERT INTO ingest_ledger SELECT * FROM before')
  const inserted: string[] = []
  await finish(
    withInsert(world.columnStore, request => {
      inserted.push(request.table)
      return world.columnStore.insert(request)
    }),
  )
  expect(inserted).toEqual([tallies.table])
  expect(await world.counts()).toEqual({ full: sent, core: sent, distinct: sent })
  expect(await ledger()).toEqual([
    ['', 1, sent, sent],
    [tallies.table, 1, sent, sent],
  ])
  expect(await world.check()).toMatchObject({ conserved: true, atRest: true })
})

test('the token of an insert is the one of every release before: log, group, topic, partition, range, table, body, attempt', async () => {
  await world.send({ count: 3 })
  const tokens: string[] = []
  await finish(
    withInsert(world.columnStore, request => {
      tokens.push(request.token.replace(/[0-9a-f]{32}/, 'body'))
      return world.columnStore.insert(request)
    }),
  )
  const place = `${world.log.logId(topicNames.direct)}/svc.writer/spans.direct/0/0-0`
  expect(tokens).toEqual([`${place}/events_full/body/0`, `${place}/span_tallies/body/0`])
})

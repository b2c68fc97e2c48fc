// What every destination is promised by the pipeline, asked of each that the writer has, and of one that only tests have. All that take a topic are
// fed from the same chunk; whatever happens to one of them, each has every row once, raw, and a balanced row in the ledger.
import { AppError } from '@svc-server/errors'
import type { NewRecord } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { waitFor } from '@svc-server/testkit'
import { beforeEach, describe, expect, test } from 'vitest'
import { createDestinationsOf, type Destination, type Destinations, tablesOf } from '../src/destinations/destination.ts'
import { events } from '../src/destinations/events.ts'
import { destinations } from '../src/destinations/index.ts'
import { observations } from '../src/destinations/observations.ts'
import { runItems } from '../src/destinations/run-items.ts'
import { scores } from '../src/destinations/scores.ts'
import { sdkUsage } from '../src/destinations/sdk-usage.ts'
import { commitAt } from './commit-at.ts'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { killAt, type Point, withInsert } from './kill.ts'
import { runItemRecords } from './run-items.ts'
import { scoreRecords } from './scores.ts'
import { sdkUsageRecords } from './sdk-usage.ts'
import { createTallies, tallies } from './second/tallies.ts'
import { now, type SpansOptions, spanBatch } from './world.ts'

eachTestHasItsWorld('by the test')
beforeEach(() => open('events_only'))

const encoderScript = new URL('./second/worker.ts', import.meta.url)
const all: Destinations = { list: [...destinations.list, tallies], encoderScript }
const both: Destinations = { list: [events, tallies], encoderScript }
/** What is true of the row of span 7 alone, in tables that do not have the span's id as `span_id`. */
const refused: Readonly<Record<string, string>> = {
  [tallies.table]: "endsWith(id, '3030303030303037')",
  [observations.table]: "id = '3030303030303037'",
  [scores.table]: "endsWith(id, '-7')",
  [runItems.table]: "endsWith(id, '-7')",
  [sdkUsage.table]: "endsWith(source, '-7')",
}
/** Topics on which a record is one row. */
const singly: Readonly<Record<string, (options: SpansOptions) => readonly NewRecord[]>> = {
  [topicNames.scores]: scoreRecords,
  [topicNames.runItems]: runItemRecords,
  [topicNames.sdkUsage]: sdkUsageRecords,
}
const refusedSpan = "span_id = '3030303030303037'"
const month = 30 * 86_400_000
/** Spans of October, November and December in one record. */
const months = { count: 40, startMs: now - month, stepMs: month / 20 }
const timeout = () => new AppError('column_store_unavailable', 'Timeout error.')

async function open(writeMode: WriteMode): Promise<void> {
  await openWorld({ writeMode })
  await createTallies(world.columnStore)
  await world.columnStore.command(`SYSTEM STOP MERGES ${world.columnStore.database}.${tallies.table}`)
}

const rowsIn = async (table: string) => Number((await world.columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]!.n)

async function ledger() {
  const rows = await world.columnStore.query<{ destination: string; chunks: string; spans: string; rows: string }>(
    `SELECT destination, count() AS chunks, sum(ingest_ledger.spans) AS spans, sum(ingest_ledger.rows) AS rows
     FROM ingest_ledger FINAL GROUP BY destination ORDER BY destination`,
  )
  return rows.map(({ destination, chunks, spans, rows: stored }) => [destination, Number(chunks), Number(spans), Number(stored)])
}

async function finish(columnStore = world.columnStore, list: Destinations = both) {
  const writer = world.writer({ columnStore, destinations: list })
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

/** Where a destination is asked: the last mode that feeds it, and the first topic that it takes there. */
const subjects = all.list.map(destination => {
  const writeMode = writeModes.toReversed().find(mode => destination.sources(mode).length > 0)!
  const topic = destination.sources(writeMode)[0]!
  return { destination, table: destination.table, writeMode, topic, takers: createDestinationsOf(all.list, writeMode)(topic, null) }
})

describe.each(subjects)('$table, from $topic in $writeMode', ({ destination, table, writeMode, topic, takers }) => {
  beforeEach(async () => {
    if (writeMode === 'events_only') return
    await world.close()
    await open(writeMode)
  })

  async function send(options: SpansOptions): Promise<number> {
    const recordsOf = singly[topic]
    if (recordsOf !== undefined) await world.log.append(topic, recordsOf(options))
    else await world.append(topic, spanBatch(options))
    return options.count
  }

  async function dieAt(point: Point): Promise<void> {
    const killed = killAt(point, world.log, world.columnStore, table)
    await world.writer({ log: killed.log, columnStore: killed.columnStore, destinations: all }).service.start()
    await killed.reached
  }

  const rowsOf = (list: readonly Destination[]) =>
    Promise.all(list.flatMap(tablesOf).map(async name => [name, await rowsIn(name)] as const)).then(Object.fromEntries)
  const each = (list: readonly Destination[], rows: number) => Object.fromEntries(list.flatMap(tablesOf).map(name => [name, rows]))

  /** Every row once in all tables, raw; the ledger says the same of each destination. */
  async function expectEach(sent: number): Promise<void> {
    expect(await rowsOf(takers)).toEqual(each(takers, sent))
    const rows = await ledger()
    const [, chunks] = rows[0]!
    expect(rows).toEqual(takers.map(taker => [taker.table, chunks, sent, sent]).sort())
  }

  test.each(points)('F06 · F07 · killed %s', async point => {
    const sent = (await send({ count: 300 })) + (await send(months))
    await dieAt(point)
    await finish(world.columnStore, all)
    await expectEach(sent)
  })

  test.each([
    ['before', false],
    ['after', true],
  ])('F08 · an insert that is never answered, lost %s it reached the engine', async (_, reaches) => {
    const sent = await send(months)
    let left = 1
    const columnStore = withInsert(world.columnStore, async request => {
      if (request.table !== table || left-- <= 0) return world.columnStore.insert(request)
      if (reaches) await world.columnStore.insert(request)
      throw timeout()
    })
    await finish(columnStore, all)
    await expectEach(sent)
  })

  test('F41 · a token that is burnt: the insert is answered, and the rows are not there', async () => {
    const sent = await send(months)
    await dieAt('before insert')
    const tokens: string[] = []
    const columnStore = withInsert(world.columnStore, async request => {
      if (request.table === table) tokens.push(request.token)
      if (request.table !== table || tokens.length > 1) await world.columnStore.insert(request)
    })
    await finish(columnStore, all)
    await expectEach(sent)
    // The first attempt of the whole, then one a month (or one, where the table has no months) under the next number.
    const again = destination.monthOf === null ? 1 : 3
    expect(tokens.map(token => token.split('/').slice(5, 6).concat(token.split('/').slice(7)))).toEqual([
      [table, '0'],
      ...Array.from({ length: again }, () => [table, '1']),
    ])
  })

  test.runIf(destination.monthOf !== null)('a month that is missing is inserted again, and no other', async () => {
    const sent = await send(months)
    await dieAt('after insert')
    for (const one of tablesOf(destination)) await world.columnStore.command(`ALTER TABLE ${one} DROP PARTITION 202611`)
    expect(await rowsIn(table)).toBeLessThan(sent)
    await finish(world.columnStore, all)
    await expectEach(sent)
  })

  test('F14 · a row that is refused alone is a dead letter, once, and in the other tables', async () => {
    await world.columnStore.command(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK NOT (${refused[table] ?? refusedSpan})`)
    const sent = await send({ count: 50 })
    await finish(world.columnStore, all)
    expect((await world.deadLetters()).map(({ id }) => id)).toEqual([topic in singly ? `${topic}/0/7/0` : `${topic}/0/0/7`])
    const others = takers.filter(taker => taker !== destination)
    expect(await rowsOf(takers)).toEqual({ ...each([destination], sent - 1), ...each(others, sent) })
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

test.each([topicNames.direct, topicNames.staging])(
  'a row of the ledger that a table lacks on %s shows in the gauge and in the check',
  async topic => {
    await world.close()
    await open('dual')
    const list = [events, { ...tallies, sources: () => [topic] }]
    await world.append(topic, spanBatch({ count: 30 }))
    const writer = await finish(world.columnStore, { list, encoderScript })
    await world.append(topic, spanBatch({ count: 7 }))
    await world.settled()
    expect(await world.check()).toMatchObject({ findings: [] })
    await world.columnStore.command(
      `CREATE TABLE rest ENGINE = Log AS SELECT * FROM ingest_ledger WHERE (destination, first_offset) != ('${tallies.table}', 1)`,
    )
    await world.columnStore.command('TRUNCATE TABLE ingest_ledger')
    await world.columnStore.command('INSERT INTO ingest_ledger SELECT * FROM rest')
    await waitFor(async () => (await writer.metric('svc_unaccounted_spans', `"${topic}"`)) === 7, {
      what: 'the gauge to show 7',
      timeoutMs: 60_000,
    })
    const finding = { kind: 'ledger_gap', topic, partition: 0, first: 1, last: 1, spans: 7, table: tallies.table }
    expect((await world.check()).findings).toEqual([finding])
  },
)

test('a chunk in doubt across an upgrade that brings a destination: what is stored is not stored again, and the new table gets its rows', async () => {
  const sent = await world.send(months)
  const killed = killAt('before acknowledgement', world.log, world.columnStore)
  const before = { list: [events], encoderScript }
  await world.writer({ log: killed.log, columnStore: killed.columnStore, destinations: before }).service.start()
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

// Checks the pipeline's guarantees for each destination with each kind of record. One of the destinations exists only in the tests. Each
// destination stores every raw row exactly once. The counts in the destination's ledger rows account for every item that the test sent. A
// fault of one destination does not change the rows of the other destinations.
// `npm test` runs a fixed ninth of all combinations, which includes each fault and each destination (isAsked). The nightly run includes all
// combinations.
import { AppError } from '@svc-server/errors'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { isAsked, sized, waitFor } from '@svc-server/testkit'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Destination, type Destinations, tablesOf } from '../src/destinations/destination.ts'
import { events } from '../src/destinations/events.ts'
import { destinations } from '../src/destinations/index.ts'
import { commitAt } from './commit-at.ts'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { killAt, type Point, withInsert } from './kill.ts'
import { createTallies, tallies } from './second/tallies.ts'
import { type SentItems, subjectsIn } from './subjects.ts'
import { now, type SpansOptions, spanBatch } from './world.ts'

eachTestHasItsWorld('by the test')

const encoderScript = new URL('./second/worker.ts', import.meta.url)
const all: Destinations = { list: [...destinations.list, tallies], encoderScript }
const both: Destinations = { list: [events, tallies], encoderScript }
const month = 30 * 86_400_000
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

const subjects = subjectsIn(all.list)

describe.each(subjects)('$table, of $kind from $topic in $writeMode', subject => {
  const at = subjects.indexOf(subject)
  let laws = 0
  const law = (name: string, ask: () => Promise<void>): void => {
    if (isAsked(at, laws++, 9)) test(name, ask)
  }
  const { destination, table, writeMode, topic, takers } = subject
  beforeEach(() => open(writeMode))

  async function send(options: SpansOptions): Promise<SentItems> {
    const made = subject.make(options)
    await world.log.append(topic, made.records)
    return made
  }

  async function dieAt(point: Point): Promise<void> {
    const killed = killAt(point, world.log, world.columnStore, table)
    await world.writer({ log: killed.log, columnStore: killed.columnStore, destinations: all }).service.start()
    await killed.reached
  }

  const rowsOf = (list: readonly Destination[]) =>
    Promise.all(list.flatMap(tablesOf).map(async name => [name, await rowsIn(name)] as const)).then(Object.fromEntries)
  const expected = (list: readonly Destination[], sent: readonly SentItems[], without = 0) =>
    Object.fromEntries(
      list.flatMap(taker => {
        const rows = sent.reduce((sum, { rowsOf: of }) => sum + of(taker.table), 0) - (taker === destination ? without : 0)
        return tablesOf(taker).map(name => [name, rows])
      }),
    )

  async function expectEach(...sent: readonly SentItems[]): Promise<void> {
    expect(await rowsOf(takers)).toEqual(expected(takers, sent))
    const rows = await ledger()
    const [, chunks] = rows[0]!
    const items = sent.reduce((sum, one) => sum + one.items, 0)
    expect(rows).toEqual(takers.map(taker => [taker.table, chunks, items, items]).sort())
  }

  for (const point of points)
    law(`F06 · F07 · killed ${point}`, async () => {
      const sent = [await send({ count: 300 }), await send(months)]
      await dieAt(point)
      await finish(world.columnStore, all)
      await expectEach(...sent)
    })

  for (const reaches of [false, true])
    law(`F08 · an insert gets no response and is lost ${reaches ? 'after' : 'before'} it reached the engine`, async () => {
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

  law('F41 · an insert under a burnt token gets a response but stores no rows', async () => {
    const sent = await send(months)
    await dieAt('before insert')
    const tokens: string[] = []
    const columnStore = withInsert(world.columnStore, async request => {
      if (request.table === table) tokens.push(request.token)
      if (request.table !== table || tokens.length > 1) await world.columnStore.insert(request)
    })
    await finish(columnStore, all)
    await expectEach(sent)
    // The second attempt makes one insert per month, or a single insert if the table has no monthly partitions.
    const again = destination.monthOf === null ? 1 : 3
    expect(tokens.map(token => token.split('/').slice(5, 6).concat(token.split('/').slice(7)))).toEqual([
      [table, '0'],
      ...Array.from({ length: again }, () => [table, '1']),
    ])
  })

  // A table that is not partitioned by month has a single partition. The test drops this partition.
  law('only the missing month is inserted again', async () => {
    const sent = await send(months)
    await dieAt('after insert')
    const missing = destination.monthOf === null ? 'tuple()' : '202611'
    for (const one of tablesOf(destination)) await world.columnStore.command(`ALTER TABLE ${one} DROP PARTITION ${missing}`)
    expect(await rowsIn(table)).toBeLessThan(sent.rowsOf(table))
    await finish(world.columnStore, all)
    await expectEach(sent)
  })

  law('F14 · a row that is refused individually becomes one dead letter, and is stored in the other tables', async () => {
    const { refused, refusedItem } = subject
    await world.columnStore.command(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK NOT (${refused})`)
    const sent = await send({ count: 50 })
    await finish(world.columnStore, all)
    expect((await world.deadLetters()).map(({ id }) => id)).toEqual([`${topic}/0/${refusedItem.offset}/${refusedItem.index}`])
    expect(await rowsOf(takers)).toEqual(expected(takers, [sent], 1))
    expect((await ledger()).map(([name, , , stored]) => [name, stored])).toEqual(
      takers.map(taker => [taker.table, sent.items - (taker === destination ? 1 : 0)]).sort(),
    )
  })
})

test('a destination has its own topics, alone or shared with other destinations', async () => {
  await open('events_only')
  const direct = await world.send({ count: 30 })
  await world.append(topicNames.overflow, spanBatch({ count: 20 }))
  const list = [{ ...events, sources: () => [topicNames.direct] }, tallies]
  await world.writer({ destinations: { list, encoderScript } }).service.start()
  await world.settled()
  expect([await rowsIn(events.table), await rowsIn(tallies.table)]).toEqual([direct, direct + 20])
})

test.each(sized([topicNames.direct, topicNames.staging], [topicNames.staging]))(
  'a ledger row that a table lacks on %s shows in the gauge and in the check',
  async topic => {
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
    })
    // The unit of staged records is `items`, because staged records can contain spans and entities.
    const unit = topic === topicNames.staging ? 'items' : 'spans'
    const finding = { kind: 'ledger_gap', topic, partition: 0, first: 1, last: 1, spans: 7, table: tallies.table, unit }
    expect((await world.check()).findings).toEqual([finding])
  },
)

test('a chunk in doubt across an upgrade that adds a destination: stored rows are not stored again, and the new table gets its rows', async () => {
  await open('events_only')
  const sent = await world.send(months)
  const killed = killAt('before acknowledgement', world.log, world.columnStore)
  const before = { list: [events], encoderScript }
  await world.writer({ log: killed.log, columnStore: killed.columnStore, destinations: before }).service.start()
  await killed.reached
  const { offset, metadata } = (await world.log.committed(groupNames.writer, topicNames.direct)).get(0)!
  // Imitates the state that the previous release leaves: an intent for a single destination, and a ledger row that names no destination.
  const { entities, ...announced } = JSON.parse(metadata) as Record<string, unknown>
  expect(entities).toBeTypeOf('string')
  expect(Object.keys(announced)).toEqual(['intent', 'mapping', 'mode', 'aliases', 'limits', 'snapshot'])
  await commitAt(world.log, offset, JSON.stringify(announced))
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

test('the token of an insert is the same as in every earlier release: log, group, topic, partition, range, table, body, attempt', async () => {
  await open('events_only')
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

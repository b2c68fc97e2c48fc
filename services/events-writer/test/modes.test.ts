// A record's write mode decides into which tables the record goes. The mode of the writer that reads the record has no effect (contract
// §12.2).
import { topicNames } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { isAsked, sized, waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { entity, onLog } from './entities.ts'
import { killAt, type Point } from './kill.ts'
import { type SpansOptions, spanBatch } from './world.ts'

eachTestHasItsWorld('by the test')

const { direct, overflow, staging, filled } = topicNames
const rowsIn = async (table: string) => Number((await world.columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]!.n)
const rows = async () => ({ events: await rowsIn('events_full'), listed: await rowsIn('events_core'), old: await rowsIn('observations') })

async function run(writeMode: WriteMode) {
  const writer = world.writer({ config: { writeMode } })
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
  return writer
}

const append = (topic: string, options: SpansOptions) => world.append(topic, spanBatch(options))

/** `npm test` runs only `dual`. In this mode, every table takes records. */
const asked = sized<readonly WriteMode[]>(writeModes, ['dual'])

describe.each(asked)('a writer in %s', ownMode => {
  test('stores a record in the tables of the record’s mode, and a record without a mode in those of its own mode', async () => {
    await openWorld({ writeMode: ownMode })
    // The sizes are powers of two. Each sum of sizes therefore shows exactly which records were stored.
    const sizes = { legacy: 1, dual: 2, events_only: 4, unsaid: 8 }
    const asIn = (mode: WriteMode) => sizes[mode] + (mode === ownMode ? sizes.unsaid : 0)
    for (const topic of [direct, overflow, filled, staging]) {
      for (const writeMode of writeModes) await append(topic, { count: sizes[writeMode], writeMode })
      await append(topic, { count: sizes.unsaid })
    }
    await run(ownMode)
    const events = 2 * (asIn('dual') + asIn('events_only')) + 15
    expect(await rows()).toEqual({ events, listed: events, old: 2 * (asIn('legacy') + asIn('dual')) + asIn('dual') })
    expect(await world.check()).toMatchObject({ findings: [] })
  })
})

describe.each(asked)('a writer in %s', writeMode => {
  test('stores merged entities in the old tables and filled ones in the events tables, whatever mode they carry', async () => {
    await openWorld({ writeMode })
    for (const stamp of [...writeModes, null]) {
      const [trace, observation] = [
        entity('trace', `trace-${stamp}`, { body: {} }),
        entity('observation', `observation-${stamp}`, { body: {} }),
      ]
      await world.log.append(topicNames.entities, [onLog(trace, undefined, stamp), onLog(observation, undefined, stamp)])
      await world.log.append(filled, [onLog(trace, {}, stamp), onLog(observation, {}, stamp)])
      await world.log.append(staging, [onLog(trace, undefined, stamp), onLog(observation, undefined, stamp)])
    }
    await run(writeMode)
    expect(await rows()).toEqual({ events: 8, listed: 8, old: 4 })
    expect(await rowsIn('traces')).toBe(4)
    expect(await world.deadLetters()).toEqual([])
  })
})

test('during a rolling switch, writers and gateways of all modes side by side store every span once in each table of its mode', async () => {
  await openWorld()
  const writers = writeModes.map(writeMode => world.writer({ config: { writeMode } }))
  for (const { service } of writers) await service.start()
  const rounds = sized(12, 6)
  for (let round = 0; round < rounds; round++) {
    for (const writeMode of writeModes) await world.append(direct, spanBatch({ count: 10, writeMode }), round % 2)
  }
  await world.settled()
  const ofEach = 20 * rounds
  expect(await rows()).toEqual({ events: ofEach, listed: ofEach, old: ofEach })
  expect(await world.check()).toMatchObject({ conserved: true, atRest: true })
})

const points: readonly Point[] = ['after intent', 'before insert', 'after insert', 'before acknowledgement']

const killed: readonly (readonly [string, number])[] = [
  ['observations', 1],
  ['events_full', 0],
]
// `npm test` kills the writer at only one of the points, and for only one of the tables. The nightly run covers all points and tables.
describe.each(sized(killed, killed.slice(0, 1)))('killed while %s is filled', (table, at) => {
  test.each(points.filter((_, law) => isAsked(at, law, 4)))(
    'F06 · F07 · %s, and the next writer has another mode: raw rows stay exact',
    async point => {
      await openWorld()
      await append(direct, { count: 30, writeMode: 'dual' })
      await append(direct, { count: 20, writeMode: 'legacy' })
      await append(direct, { count: 10, writeMode: 'events_only' })
      const killed = killAt(point, world.log, world.columnStore, table)
      await world.writer({ log: killed.log, columnStore: killed.columnStore, config: { writeMode: 'dual' } }).service.start()
      await killed.reached
      const writer = await run('events_only')
      expect(await rows()).toEqual({ events: 40, listed: 40, old: 50 })
      expect(await writer.metric('svc_writer_rules_changed_total')).toBe(0)
      expect(await world.check()).toMatchObject({ conserved: true, atRest: true })
    },
  )
})

test('records without a mode that are in doubt across a switch are in every table of the current mode', async () => {
  await openWorld()
  await append(direct, { count: 30 })
  const killed = killAt('after insert', world.log, world.columnStore)
  await world.writer({ log: killed.log, columnStore: killed.columnStore, config: { writeMode: 'events_only' } }).service.start()
  await killed.reached
  await run('dual')
  expect(await rowsIn('observations FINAL')).toBe(30)
  expect(await rowsIn('events_full FINAL')).toBe(30)
})

test('remaining records of another mode are counted by mode', async () => {
  await openWorld()
  await append(direct, { count: 3, writeMode: 'legacy' })
  await append(direct, { count: 3, writeMode: 'dual' })
  await append(direct, { count: 3, writeMode: 'dual' })
  await append(direct, { count: 3, writeMode: 'events_only' })
  await append(direct, { count: 3 })
  const writer = await run('events_only')
  const counted = (mode: string) => writer.metric('svc_writer_other_mode_records_total', `"${mode}"`)
  expect([await counted('legacy'), await counted('dual'), await counted('events_only')]).toEqual([1, 2, 0])
})

test('rows that an old table has lost show in the gauge and in the check until they are restored', async () => {
  await openWorld()
  await append(direct, { count: 12, writeMode: 'dual', seed: 'a' })
  await append(direct, { count: 5, writeMode: 'events_only', seed: 'b' })
  const writer = await run('events_only')
  const { database } = world.columnStore
  await world.columnStore.command('CREATE TABLE kept ENGINE = Log AS SELECT * FROM observations')
  await world.columnStore.command(`SYSTEM START MERGES ${database}.observations`)
  await world.columnStore.command("ALTER TABLE observations DELETE WHERE name IN ('span 3', 'span 4') SETTINGS mutations_sync = 2")
  // Starts a new writer after the test has changed the table. The old writer's audit would not look up a row that it has already checked.
  await writer.service.drain()
  await world.columnStore.command('TRUNCATE TABLE ingest_audit')
  const next = await run('events_only')
  const shows = (spans: number) =>
    waitFor(async () => (await next.metric('svc_unaccounted_spans', `"${direct}"`)) === spans, {
      what: `the gauge to show ${spans}`,
    })
  await shows(2)
  expect((await world.check()).findings).toMatchObject([
    { kind: 'missing', topic: direct, first: 0, last: 0, spans: 2, table: 'observations' },
  ])
  await world.columnStore.command("INSERT INTO observations SELECT * FROM kept WHERE name IN ('span 3', 'span 4')")
  await shows(0)
  expect(await world.check()).toMatchObject({ conserved: true })
})

// Each test covers a former defect of the writer. Each of these defects made the writer lose acknowledged spans, and no check reported the
// loss.
import { AppError } from '@svc-server/errors'
import { groupNames, type TopicName, topicNames } from '@svc-server/modes/names'
import { inNightly, sized } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { commitAt } from './commit-at.ts'
import { eachTestHasItsWorld, engine, world } from './each-world.ts'
import { entity, entityRecords, onLog } from './entities.ts'
import { killAt, type Point, withInsert } from './kill.ts'
import { createWorld, spanBatch } from './world.ts'

eachTestHasItsWorld()

const timeout = () => new AppError('column_store_unavailable', 'Timeout error.')

const withoutItsFirst = (count: number, { columnStore } = world) => {
  let left = count
  return withInsert(columnStore, request => (left-- > 0 ? Promise.reject(timeout()) : columnStore.insert(request)))
}

/**
 * Starts a writer and waits until the writer is killed at `point`. With `table`, only inserts into this table can reach the points `before
 * insert` and `after insert`.
 */
async function dieAt(point: Point, config = {}, table?: string): Promise<void> {
  const killed = killAt(point, world.log, world.columnStore, table)
  await world.writer({ log: killed.log, columnStore: killed.columnStore, config }).service.start()
  await killed.reached
}

test('F42 · every span is stored after an offset moves back, chunks are cut differently and an insert times out', async () => {
  let sent = 0
  for (let record = 0; record < 10; record++) sent += await world.send({ count: 2 })
  const first = world.writer()
  await first.service.start()
  await world.settled()
  await first.service.drain()
  sent += await world.send({ count: 21 })
  await commitAt(world.log, 4)
  const { service, metric } = world.writer({ columnStore: withoutItsFirst(1) })
  await service.start()
  await world.settled()
  expect((await world.counts()).distinct).toBe(sent)
  expect(await metric('svc_writer_reinserted_rows_total', 'events_full')).toBe(21)
})

const entitiesIn = () =>
  Promise.all(
    ['traces', 'observations'].map(async table => {
      const [row] = await world.columnStore.query<{ n: string }>(`SELECT uniqExactIf(id, is_deleted = 0) AS n FROM ${table}`)
      return Number(row!.n)
    }),
  )

inNightly(() =>
  test('F42 · every merged entity is stored in the same case', async () => {
    const send = async (count: number) => {
      const { records } = entityRecords({ count })
      for (const record of records) await world.log.append(topicNames.entities, [record])
      return count
    }
    let sent = await send(5)
    const first = world.writer()
    await first.service.start()
    await world.settled()
    await first.service.drain()
    sent += await send(11)
    await commitAt(world.log, 4, '', 0, topicNames.entities)
    const { service, metric } = world.writer({ columnStore: withoutItsFirst(1) })
    await service.start()
    await world.settled()
    expect(await entitiesIn()).toEqual([sent, sent])
    expect(await metric('svc_writer_reinserted_rows_total')).toBeGreaterThanOrEqual(11)
  }),
)

test('F43 · every new span is stored after the log is recreated, old spans are stored beside new ones and an insert times out', async () => {
  const old = { count: 30, seed: 'old' }
  await world.send(old)
  const first = world.writer()
  await first.service.start()
  await world.settled()
  const anew = await createWorld(engine)
  await anew.send(old)
  await anew.send({ count: 500 })
  await anew.writer({ columnStore: withoutItsFirst(1) }).service.start()
  await anew.settled()
  expect((await world.counts()).distinct).toBe(530)
  await anew.close()
})

interface Kind {
  readonly topic: TopicName
  readonly table: 'events_full' | 'observations'
  /**
   * True if each row contains the position of its record. If this is false and the writer rejects a record, the record becomes a dead
   * letter, even if an earlier writer stored the record's row.
   */
  readonly saysItsRecord: boolean
  /** Sends two records. Only the larger record exceeds the lowered limit. */
  sendTwo(): Promise<{ readonly few: number; readonly many: number }>
}

const small = { maxRecordBytes: 20_000 }
const ofSpans: Kind = {
  topic: topicNames.direct,
  table: 'events_full',
  saysItsRecord: true,
  sendTwo: async () => ({ few: await world.send({ count: 10 }), many: await world.send({ count: 400 }) }),
}
const ofEntities: Kind = {
  topic: topicNames.entities,
  table: 'observations',
  saysItsRecord: false,
  async sendTwo() {
    const records = ['x', 'x'.repeat(30_000)].map((input, at) => onLog(entity('observation', `${at}`, { body: { input, traceId: 't' } })))
    await world.log.append(topicNames.entities, records)
    return { few: 1, many: 1 }
  },
}
/**
 * Each test that loops over this list stores the records of both kinds in the same world, one kind after the other. There are two
 * exceptions in `npm test`: one test stores only spans, and another test stores only entities.
 */
const kinds = [ofSpans, ofEntities]

const rowsOf = async ({ table }: Kind) =>
  Number((await world.columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table} FINAL`))[0]!.n)
const deadLettersOf = async ({ topic }: Kind) =>
  (await world.deadLetters()).filter(deadLetter => deadLetter.topic === topic).map(({ reason, offset }) => [reason, offset])

async function finishWith(config = {}) {
  const writer = world.writer({ config })
  await writer.service.start()
  await world.settled()
  // Stops this writer. The loop of the test starts another writer for the next kind of record.
  await writer.service.drain()
  return writer
}

test('F44 · a limit is raised between an open intent and the restart: items that it rejected before are stored', async () => {
  for (const kind of sized(kinds, [ofEntities])) {
    const { few, many } = await kind.sendTwo()
    await dieAt('after insert', small, kind.table)
    const { metric } = await finishWith()
    expect([kind.table, await rowsOf(kind)]).toEqual([kind.table, few + many])
    expect(await metric('svc_writer_rules_changed_total')).toBe(1)
  }
  expect(await world.deadLetters()).toEqual([])
})

test('F44 · a limit is lowered before anything is stored: each item is a row or a dead letter', async () => {
  for (const kind of sized(kinds, [ofSpans])) {
    const { few } = await kind.sendTwo()
    await dieAt('after intent')
    await finishWith(small)
    expect([kind.table, await rowsOf(kind)]).toEqual([kind.table, few])
    expect(await deadLettersOf(kind)).toEqual([['payload_too_large', 1]])
  }
  expect(await world.check()).toMatchObject({ conserved: true })
})

const lowered: readonly (readonly [string, readonly (readonly [Point, object])[]])[] = [
  [
    'lowered, raised and lowered again: an item that was stored in between stays stored',
    [
      ['after intent', small],
      ['after insert', {}],
    ],
  ],
  ['lowered after everything was stored: a stored item stays stored', [['after insert', {}]]],
]
test.each(sized(lowered, lowered.slice(0, 1)))(
  'F44 · a limit was %s, and is no dead letter where the table stores provenance',
  async (_, deaths) => {
    for (const kind of kinds) {
      const { few, many } = await kind.sendTwo()
      for (const [point, config] of deaths) await dieAt(point, config, kind.table)
      await finishWith(small)
      expect([kind.table, await rowsOf(kind)]).toEqual([kind.table, few + many])
      expect(await deadLettersOf(kind)).toEqual(kind.saysItsRecord ? [] : [['payload_too_large', 1]])
    }
    const { findings } = await world.check()
    // A raw row can be stored twice after a change of the rules, so the test ignores findings of duplicates.
    expect(findings.filter(({ kind }) => kind !== 'doubled')).toEqual([])
  },
)

test('F44 · the aliases change after the intent: rows are made with the current aliases', async () => {
  const sent = await world.send({ count: 20, more: [{ key: 'acme.observation.input', value: { stringValue: 'by its other name' } }] })
  await dieAt('after insert')
  await world.writer({ config: { brandAliases: ['acme'] } }).service.start()
  await world.settled()
  const [final] = await world.columnStore.query<{ rows: string; today: string }>(
    `SELECT count() AS rows, countIf(input = 'by its other name') AS today FROM events_full FINAL`,
  )
  expect(final).toEqual({ rows: String(sent), today: String(sent) })
})

test('single missing rows of a chunk are inserted again, in all tables', async () => {
  const { command } = world.columnStore
  await world.log.append(topicNames.entities, entityRecords({ count: 60 }).records)
  await dieAt('after insert', {}, 'observations')
  for (const table of ['traces', 'observations']) {
    await command(`CREATE TABLE copied_${table} ENGINE = Memory AS SELECT * FROM ${table}`)
    await command(`TRUNCATE TABLE ${table}`)
    await command(`INSERT INTO ${table} SELECT * FROM copied_${table} WHERE toUInt32(splitByChar('-', id)[2]) % 7 > 0`)
  }
  await finishWith()
  expect(await entitiesIn()).toEqual([60, 60])

  const sent = await world.send({ count: 300 })
  await dieAt('after insert', {}, 'events_full')
  await command('CREATE TABLE copied ENGINE = Memory AS SELECT * FROM events_full')
  // The test changes events_full before events_core, because an insert into events_full also fills events_core through the view.
  for (const [table, every] of [
    ['events_full', 7],
    ['events_core', 5],
  ] as const) {
    await command(`TRUNCATE TABLE ${table}`)
    await command(`INSERT INTO ${table} SELECT * FROM copied WHERE toUInt32(splitByChar(' ', name)[2]) % ${every} > 0`)
  }
  expect((await world.counts()).full).toBeLessThan(sent)
  const { service, metric } = world.writer()
  await service.start()
  await world.settled()
  expect((await world.counts()).distinct).toBe(sent)
  const [core] = await world.columnStore.query<{ n: string }>('SELECT uniqExact(span_id) AS n FROM events_core')
  expect(Number(core!.n)).toBe(sent)
  expect(await metric('svc_writer_reinserted_rows_total', 'events_core')).toBeGreaterThan(0)
})

test('a chunk of 600 projects is refilled, because its keys are not part of a URL', async () => {
  const projects = 600
  const batchOf = (project: number) => spanBatch({ count: 1, projectId: `a project's ${project} \\ id` })
  await world.log.append(
    topicNames.direct,
    Array.from({ length: projects }, (_, project) => ({ key: null, value: batchOf(project), partition: 0 })),
  )
  await dieAt('after insert')
  await world.columnStore.command('TRUNCATE TABLE events_core')
  const { service, bugs } = world.writer()
  await service.start()
  await world.settled()
  expect(await world.counts()).toEqual({ full: projects, core: projects, distinct: projects })
  expect(bugs).toEqual([])
})

/** Disables the audits. An audit also synchronizes replicas, but this test counts only the writer's own statements. */
const withoutAudits = { ledgerAuditMs: 3_600_000 }

test('replicas catch up before each probe, and thus before each refill; the writer does not ask which engine responds', async () => {
  const sent = await world.send({ count: 40 })
  await dieAt('after insert')
  await world.columnStore.command('TRUNCATE TABLE events_core')
  const statements: string[] = []
  const replicated: typeof world.columnStore = {
    ...world.columnStore,
    replicated: true,
    identify: () => Promise.reject(new Error('on replicated tables nobody may ask who answers')),
    query(sql, params) {
      if (sql.includes('FROM events_')) statements.push(/FROM (events_\w+)/.exec(sql)![1]!)
      return world.columnStore.query(sql, params)
    },
    async command(sql, params) {
      if (sql.startsWith('SYSTEM SYNC')) statements.push(sql)
      else {
        if (sql.includes('INSERT INTO events_core')) statements.push('refill')
        await world.columnStore.command(sql, params)
      }
    },
  }
  await world.writer({ columnStore: replicated, config: withoutAudits }).service.start()
  await world.settled()
  const sync = ['SYSTEM SYNC REPLICA events_full LIGHTWEIGHT', 'SYSTEM SYNC REPLICA events_core LIGHTWEIGHT']
  expect(statements.slice(0, 8)).toEqual([...sync, 'events_full', 'events_core', 'refill', ...sync, 'events_core'])
  expect(await world.counts()).toEqual({ full: sent, core: sent, distinct: sent })
})

test('while a replica does not catch up, the writer waits and draws no conclusion', async () => {
  const sent = await world.send({ count: 40 })
  await dieAt('after insert')
  let late = 3
  const lagging: typeof world.columnStore = {
    ...world.columnStore,
    replicated: true,
    command: (sql, params) =>
      sql.startsWith('SYSTEM SYNC') ? (late-- > 0 ? Promise.reject(timeout()) : Promise.resolve()) : world.columnStore.command(sql, params),
  }
  const { service, metric } = world.writer({ columnStore: lagging, config: withoutAudits })
  await service.start()
  await world.settled()
  expect(await metric('svc_writer_retries_total', 'column_store_unavailable')).toBeGreaterThanOrEqual(3)
  expect(await world.counts()).toEqual({ full: sent, core: sent, distinct: sent })
})

test('the ledger names every rule that decided the rows of a chunk', async () => {
  await world.send({ count: 3 })
  await dieAt('after intent', { brandAliases: ['acme', 'best'] })
  const { metadata } = (await world.log.committed(groupNames.writer, topicNames.direct)).get(0)!
  expect(Object.keys(JSON.parse(metadata))).toEqual([
    'intent',
    'mapping',
    'entities',
    'observations',
    'scores',
    'runItems',
    'sdkUsage',
    'mode',
    'aliases',
    'limits',
    'snapshot',
  ])
})

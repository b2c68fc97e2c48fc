import { createColumnStore } from '@svc-server/column-store/client'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { encodeLedgerRecord, type LedgerRecord } from '@svc-server/schema/ledger-record'
import { createColumnStoreProxy, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, engine, world } from './each-world.ts'
import { password } from './world.ts'

eachTestHasItsWorld()

const published = (first: number, last: number, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  group: groupNames.propagator,
  topic: topicNames.staging,
  partition: 1,
  first,
  last,
  records: last - first + 1,
  spans: 20,
  rows: 17,
  deadLettered: 2,
  denied: 1,
  versions: { mapping: `it's "7"`, snapshot: '' },
  ...more,
})

const append = (record: LedgerRecord, partition = 0) => world.append(topicNames.ledger, encodeLedgerRecord(record), partition)

const rows = (final = 'FINAL') =>
  world.columnStore.query<Record<string, unknown>>(
    `SELECT log_id, consumer_group, topic, partition, toUInt32(first_offset) AS first, toUInt32(last_offset) AS last, toUInt32(records) AS records,
       toUInt32(spans) AS spans, toUInt32(rows) AS rows, toUInt32(dead_lettered) AS dead, toUInt32(denied) AS denied, body_hash, versions
     FROM ingest_ledger ${final} ORDER BY consumer_group, partition, first_offset`,
  )

test('a record’s fields are all in its row', async () => {
  await append(published(100, 119))
  await world.writer().service.start()
  await world.settled()
  expect(await rows()).toEqual([
    {
      ...{ log_id: world.log.logId(topicNames.staging), consumer_group: 'svc.propagator', topic: 'spans.staging', partition: 1 },
      ...{ first: 100, last: 119, records: 20, spans: 20, rows: 17, dead: 2, denied: 1, body_hash: '' },
      versions: { mapping: `it's "7"`, snapshot: '' },
    },
  ])
})

test('waiting records are written in one insert', async () => {
  const proxy = await createColumnStoreProxy(engine.url)
  const columnStore = createColumnStore({
    ...{ url: proxy.url, user: engine.user, password, database: world.columnStore.database, requestTimeoutMs: 20_000 },
  })
  const records = Array.from({ length: 500 }, (_, i) => ({
    key: null,
    value: encodeLedgerRecord(published(i * 10, i * 10 + 9)),
    partition: 0,
  }))
  await world.log.append(topicNames.ledger, records)
  const writer = world.writer({ columnStore })
  await writer.service.start()
  await world.settled()
  expect(await rows()).toHaveLength(500)
  expect(proxy.requests.filter(({ query }) => query.includes('INSERT INTO ingest_ledger'))).toHaveLength(1)
  expect(await writer.metric('svc_writer_ledger_records_total', 'stored')).toBe(500)
  await columnStore.close()
  await proxy.close()
})

test('a repeated record replaces its row', async () => {
  for (const partition of [0, 1, 0]) await append(published(0, 9), partition)
  await world.writer().service.start()
  await world.settled()
  await append(published(0, 9))
  await world.settled()
  expect(await rows()).toHaveLength(1)
})

test('F17 · a record that cannot become a row becomes a dead letter; its neighbors are stored', async () => {
  await append(published(0, 9))
  await world.append(topicNames.ledger, Buffer.from('no record of ours'))
  await append(published(10, 19, { topic: 'spans.elsewhere' }))
  await append(published(10, 19, { denied: -1 }))
  await append(published(10, 9))
  await append(published(10, 19))
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  expect((await rows()).map(({ first }) => first)).toEqual([0, 10])
  expect((await world.deadLetters()).map(({ id, stage, reason }) => [id, stage, reason])).toEqual([
    ['ledger/0/1/-', 'ledger', 'record_undecodable'],
    ['ledger/0/2/-', 'ledger', 'ledger_invalid'],
    ['ledger/0/3/-', 'ledger', 'ledger_invalid'],
    ['ledger/0/4/-', 'ledger', 'ledger_invalid'],
  ])
  expect(await writer.metric('svc_writer_ledger_records_total', 'dead_lettered')).toBe(4)
  expect(writer.bugs).toEqual([])
})

test('F12 · while the column store is down, the offset does not advance, health turns red, and nothing is lost', async () => {
  const proxy = await createColumnStoreProxy(engine.url)
  const columnStore = createColumnStore({
    ...{ url: proxy.url, user: engine.user, password, database: world.columnStore.database, requestTimeoutMs: 20_000 },
  })
  proxy.onRequest(() => ({ kind: 'refuse' }))
  await append(published(0, 9))
  const writer = world.writer({ columnStore, config: { retryBudgetMs: 30, progressThresholdMs: 0 } })
  await writer.service.start()
  await waitFor(async () => (await writer.metric('svc_writer_chunks_total', 'deferred')) >= 3, { what: 'three pauses' })
  expect((await world.log.committed(groupNames.ledger, topicNames.ledger)).get(0)?.offset).toBe(0)
  expect((await writer.health.evaluate('progress')).status).toBe(503)
  await append(published(10, 19))
  proxy.heal()
  await world.settled()
  expect((await rows()).map(({ first }) => first)).toEqual([0, 10])
  expect((await writer.health.evaluate('progress')).status).toBe(200)
  expect(writer.bugs).toEqual([])
  await columnStore.close()
  await proxy.close()
})

test('records from an earlier mode reach the ledger in legacy mode, too', async () => {
  await append(published(0, 9))
  await world.writer({ config: { writeMode: 'legacy' } }).service.start()
  await world.settled()
  expect((await rows()).map(({ first }) => first)).toEqual([0])
})

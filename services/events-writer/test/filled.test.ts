// The version of a published row is a sum: the append time of the span's staging record plus the generation of the publication. A repair
// has a higher generation than the publication that it repairs. The row of the repair therefore has the higher version, and
// replaces the earlier row.
import { topicNames } from '@svc-server/modes/names'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { sized } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { killAt } from './kill.ts'
import { now, spanBatch } from './world.ts'

eachTestHasItsWorld()

/** Publishes the same spans with each call. `generation` is the number of the publication. */
const published = (generation: number, userId: string, stagedAtMs = now) =>
  encodeSpanBatch({
    ...decodeSpanBatch(spanBatch({ count: 10, seed: 'staged' })),
    traceAttributes: { userId },
    staged: { partition: 0, offset: 7, timestampMs: stagedAtMs, generation },
  })

const users = async (table: string) =>
  world.columnStore.query(
    `SELECT user_id AS user, toString(event_ts) AS time, substringIndex(blob_storage_file_path, '#', 1) AS place, toUInt32(count()) AS rows
     FROM ${table} FINAL GROUP BY user, time, place ORDER BY user`,
  )

const orders: readonly (readonly [string, readonly number[]])[] = [
  ['before it', [1, 0]],
  ['after it', [0, 1]],
]
test.each(sized(orders, orders.slice(0, 1)))('a repair replaces the rows that it repairs, also when it is stored %s', async (_, order) => {
  const writer = world.writer({ config: { chunkMaxRows: 1 } })
  for (const generation of order) await world.append(topicNames.filled, published(generation, `user ${generation}`))
  await writer.service.start()
  await world.settled()
  const place = `spans.filled/0/${order.indexOf(1)}`
  for (const table of ['events_full', 'events_core']) {
    expect(await users(table)).toMatchObject([{ user: 'user 1', time: '2026-11-21 12:00:00.000001', rows: 10 }])
  }
  expect(await users('events_full')).toMatchObject([{ place }])
  expect(await world.check()).toMatchObject({ conserved: true, atRest: true })
})

test('a repair does not win over spans that were resent since', async () => {
  const writer = world.writer()
  await world.append(topicNames.filled, published(0, 'first'))
  await world.append(topicNames.filled, published(0, 'sent again', now + 1))
  await world.append(topicNames.filled, published(3, 'first, repaired'))
  await writer.service.start()
  await world.settled()
  expect(await users('events_full')).toMatchObject([{ user: 'sent again', rows: 10 }])
})

test('repaired rows are conserved after a merge', async () => {
  const writer = world.writer({ config: { chunkMaxRows: 1 } })
  for (const generation of [0, 1, 2]) await world.append(topicNames.filled, published(generation, 'user'))
  await writer.service.start()
  await world.settled()
  for (const table of ['events_full', 'events_core']) {
    await world.columnStore.command(`SYSTEM START MERGES ${world.columnStore.database}.${table}`)
    await world.columnStore.command(`OPTIMIZE TABLE ${table} FINAL`)
  }
  const report = await world.check()
  expect(report).toMatchObject({ conserved: true, findings: [] })
  expect(report.partitions.find(({ records }) => records > 0)).toMatchObject({ spans: 30, stored: 10, superseded: 20, rawRows: 10 })
})

test('a deleted row that only the repair had is reported as missing', async () => {
  const writer = world.writer({ config: { chunkMaxRows: 1 } })
  for (const generation of [0, 1]) await world.append(topicNames.filled, published(generation, 'user'))
  await writer.service.start()
  await world.settled()
  for (const table of ['events_full', 'events_core']) {
    await world.columnStore.command(`SYSTEM START MERGES ${world.columnStore.database}.${table}`)
    await world.columnStore.command(
      `ALTER TABLE ${table} DELETE WHERE blob_storage_file_path = 'spans.filled/0/1#4' SETTINGS mutations_sync = 2`,
    )
  }
  // The table still has the row of the first publication. This row does not prove that the row of the repair was stored.
  expect((await world.check()).findings).toMatchObject([{ kind: 'missing', topic: topicNames.filled, first: 1, last: 1, spans: 1 }])
})

test('an insert that only events_core lacks is completed with the times of its rows', async () => {
  const killed = killAt('after insert', world.log, world.columnStore)
  await world.append(topicNames.filled, published(1, 'user', now - 3_600_000))
  await world.writer({ log: killed.log, columnStore: killed.columnStore }).service.start()
  await killed.reached
  await world.columnStore.command('TRUNCATE TABLE events_core')
  await world.writer().service.start()
  await world.settled()
  expect(await world.counts()).toEqual({ full: 10, core: 10, distinct: 10 })
})

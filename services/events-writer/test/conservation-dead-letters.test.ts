// If items become dead letters, the conservation check counts no item twice, and it reports every loss.
import { checkConservation } from '@svc-server/conservation/check/check'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { accountsOf, lyingBatch } from './accounts.ts'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { now, spanBatch } from './world.ts'

eachTestHasItsWorld('before the test', { auditMs: 300 })

const { ledger, change, unaccounted, audited } = accountsOf(() => world)

test('dead letters are counted once, whole records and single spans, with and without stored siblings', async () => {
  const writer = world.writer({ config: { maxRecordBytes: 40_000 } })
  await world.send({ count: 10 })
  await world.append(topicNames.direct, Buffer.from('no record of ours'))
  await world.append(topicNames.direct, spanBatch({ count: 1000 }))
  await world.append(topicNames.direct, spanBatch({ count: 3, startMs: now - 200 * 31 * 86_400_000 }))
  await world.send({ count: 20 })
  await writer.service.start()
  await world.settled()
  // Appends each dead letter a second time. A writer does the same if it stores a chunk again.
  for (let partition = 0; partition < 2; partition++) {
    const { records } = await world.log.read(topicNames.deadLetter, partition, 0, 1e9)
    for (const { value } of records) await world.append(topicNames.deadLetter, value!, partition)
  }
  const report = await world.check()
  expect(report).toMatchObject({ conserved: true, findings: [] })
  expect(report.partitions.find(({ records }) => records > 0)).toMatchObject({ spans: 1034, stored: 30, deadLettered: 1004 })
  const rows = await ledger()
  expect(rows.reduce((sum, { spans }) => sum + spans, 0)).toBe(1034)
  expect(rows.reduce((sum, { dead }) => sum + dead, 0)).toBe(1004)
  await audited(writer)
  expect(await unaccounted(writer)).toBe(0)
})

test('the ledger accounts for deleted and unreadable dead letters, and a missing row beside them is still reported', async () => {
  await world.append(topicNames.direct, Buffer.from('no record'))
  await world.append(topicNames.direct, spanBatch({ count: 1000 }))
  await world.send({ count: 10 })
  const writer = world.writer({ config: { chunkMaxRows: 1, maxRecordBytes: 40_000, deadLetterIntervalMs: 20 } })
  await writer.service.start()
  await world.settled()
  const dead = 1001
  const reported = async () => (await world.check()).partitions.find(({ records }) => records > 0)!
  expect(await reported()).toMatchObject({ deadLettered: dead, deadLettersExpired: 0, missing: 0 })

  // A newer release wrote this dead letter. This release cannot read it.
  const unknown = Buffer.concat([Buffer.from('c301', 'hex'), Buffer.alloc(20, 7)])
  await world.log.append(topicNames.deadLetter, [{ key: null, value: unknown, partition: 0 }])
  expect(await world.check()).toMatchObject({ conserved: true, unreadableDeadLetters: 1 })
  for (const { partition, highWatermark } of (await world.log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)!
    .partitions)
    await world.log.deleteBefore(topicNames.deadLetter, partition, highWatermark)
  expect(await world.check()).toMatchObject({ conserved: true, findings: [], unreadableDeadLetters: 0 })
  expect(await reported()).toMatchObject({ deadLettered: dead, deadLettersExpired: dead, missing: 0 })
  await waitFor(async () => (await writer.metric('svc_dead_letters_dropped_total')) === 3, {
    what: 'the letters that have left to be counted',
  })
  expect(JSON.stringify((await writer.health.evaluate('ready')).body)).toContain('3 dead letters were deleted from their topic')

  await change('events_full', `DELETE WHERE blob_storage_file_path = 'spans.direct/0/2#4'`)
  await change('events_core', `DELETE WHERE blob_storage_file_path = 'spans.direct/0/2#4'`)
  const { conserved, findings } = await world.check()
  expect(conserved).toBe(false)
  expect(findings).toMatchObject([{ kind: 'missing', first: 2, last: 2, spans: 1 }])
})

test('in a check of the newest offsets, dead letters of a chunk’s older records hide no missing row of its newer records', async () => {
  await world.append(topicNames.direct, spanBatch({ count: 1000 }))
  await world.send({ count: 10 })
  await world.log.append(topicNames.deadLetter, [{ key: null, value: Buffer.from('of another release'), partition: 0 }])
  await world.writer({ config: { maxRecordBytes: 40_000, fetchMinBytes: 1e6, fetchMaxWaitMs: 200 } }).service.start()
  await world.settled()
  expect(await ledger()).toHaveLength(1)
  for (const table of ['events_full', 'events_core']) await change(table, `DELETE WHERE blob_storage_file_path = 'spans.direct/0/1#4'`)
  const { log, columnStore } = world
  const options = { log, columnStore, group: groupNames.writer, topics: [topicNames.direct] }
  for (const newest of [1, 2]) {
    const { findings } = await checkConservation({ ...options, newest })
    expect(findings).toMatchObject([{ kind: 'missing', first: 1, last: 1, spans: 1 }])
  }
})

test('a chunk with only bad records has a ledger row, and the next range follows it', async () => {
  const writer = world.writer()
  await world.append(topicNames.direct, Buffer.from('no record of ours'))
  await writer.service.start()
  await world.settled()
  await world.send({ count: 4 })
  await world.settled()
  expect(await ledger()).toEqual([
    { first: 0, last: 0, records: 1, spans: 1, rows: 0, dead: 1 },
    { first: 1, last: 1, records: 1, spans: 4, rows: 4, dead: 0 },
  ])
  expect(await world.check()).toMatchObject({ conserved: true })
})

test('records without spans leave no gap', async () => {
  const writer = world.writer()
  await world.send({ count: 4 })
  await writer.service.start()
  await world.settled()
  await world.append(topicNames.direct, lyingBatch(0, 0))
  await world.settled()
  await writer.service.drain()
  const next = world.writer()
  await next.service.start()
  await world.send({ count: 6 })
  await world.settled()
  await world.append(topicNames.direct, lyingBatch(0, 0))
  await world.settled()
  expect(await ledger()).toMatchObject([
    { first: 0, last: 0 },
    { first: 1, last: 2, spans: 6 },
  ])
  await audited(next)
  expect(await unaccounted(next)).toBe(0)
  expect(await world.check()).toMatchObject({ conserved: true, atRest: true })
})

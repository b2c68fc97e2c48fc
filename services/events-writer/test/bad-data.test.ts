// A record or span that cannot be stored does not affect the other items. If a partition has too many bad records, svc itself is probably
// defective. The writer then halts the partition.
import { topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { now, projectId, spanBatch } from './world.ts'

eachTestHasItsWorld('by the test')

const stored = (rows: number) => ({ full: rows, core: rows, distinct: rows })

const brokenPayload = (spanCount: number) =>
  encodeSpanBatch({
    projectId,
    apiKey: 'pk-test',
    sdkName: '',
    sdkVersion: '',
    ingestionVersion: 4,
    receivedAtMs: now,
    ingestId: 'broken',
    contentEncoding: 'gzip',
    decodedBytes: 10,
    spanCount,
    payload: Buffer.from('this is not gzip'),
    traceAttributes: null,
  })

test('F17 · an undecodable record becomes a dead letter with provenance, and the partition continues', async () => {
  await openWorld()
  const before = await world.send({ count: 50 })
  await world.append(topicNames.direct, Buffer.from('no record of ours'))
  await world.append(topicNames.direct, brokenPayload(7))
  const after = await world.send({ count: 50 })
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(before + after))
  const deadLetters = await world.deadLetters()
  expect(deadLetters.map(({ id, stage }) => [id, stage]).sort()).toEqual([
    ['spans.direct/0/1/-', 'decode'],
    ['spans.direct/0/2/-', 'encode'],
  ])
  expect(Buffer.from(deadLetters.find(({ offset }) => offset === 1)!.raw).toString()).toBe('no record of ours')
  expect(deadLetters.find(({ offset }) => offset === 2)!.projectId).toBe(projectId)
  expect(await writer.metric('svc_writer_dead_letters_total')).toBe(2)
  expect(writer.bugs).toEqual([])
})

test('F17 · a record of a newer gateway becomes one dead letter that names the unknown schema', async () => {
  await openWorld()
  const newer = Buffer.from(spanBatch({ count: 3 }))
  // Changes the fingerprint of the schema, which begins at byte 2, after the two bytes of the marker.
  newer[2]! ^= 0xff
  await world.append(topicNames.direct, newer)
  const sent = await world.send({ count: 5 })
  await world.writer().service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent))
  const [deadLetter] = await world.deadLetters()
  expect(deadLetter).toMatchObject({ reason: 'record_undecodable', message: expect.stringMatching(/fingerprint/) })
  expect(newer.equals(deadLetter!.raw)).toBe(true)
})

test('F15 · many records of a newer gateway halt the partition: none is acknowledged, and all wait for a writer that can read them', async () => {
  await openWorld()
  const newer = 120
  for (let record = 0; record < newer; record++) {
    const bytes = Buffer.from(spanBatch({ count: 1 }))
    bytes[2]! ^= 0xff
    await world.append(topicNames.direct, bytes)
  }
  const writer = world.writer({ config: { haltedPauseMs: 20 } })
  await writer.service.start()
  await waitFor(async () => (await writer.metric('svc_writer_halts_total')) >= 2, { what: 'the halt, and another try' })
  expect(await world.backlog()).toBe(newer)
  expect(await world.deadLetters()).toEqual([])
})

test('a record that announces more bytes than memory allows is never opened', async () => {
  await openWorld()
  await world.append(topicNames.direct, spanBatch({ count: 1000 }))
  const sent = await world.send({ count: 5 })
  await world.writer({ config: { maxRecordBytes: 10_000 } }).service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent))
  expect((await world.deadLetters()).map(({ reason }) => reason)).toEqual(['payload_too_large'])
})

test('F15 · a partition whose records mostly fail because of a defect of svc halts before it stores or acknowledges a record, and continues after the repair', async () => {
  await openWorld()
  const bad = 150
  for (let record = 0; record < bad; record++) await world.append(topicNames.direct, Buffer.from(`rubbish ${record}`))
  await world.send({ count: 5 })
  const beside = await world.send({ count: 7, partition: 1 })
  const writer = world.writer({ config: { haltedPauseMs: 20 } })
  await writer.service.start()
  await waitFor(async () => (await writer.metric('svc_writer_halts_total')) >= 3, { what: 'the halt, and two tries more' })
  const ready = await writer.health.evaluate('ready')
  expect(ready.status).toBe(503)
  expect(JSON.stringify(ready.body)).toContain('spans.direct/0 has halted')
  await waitFor(async () => (await world.backlog()) === bad + 1, { what: 'the neighbor' })
  expect(await world.deadLetters()).toEqual([])
  expect(await world.counts()).toEqual(stored(beside))
  expect(await writer.metric('svc_writer_halted')).toBe(1)

  await writer.service.drain()
  const mended = world.writer({ config: { deadLetterMin: bad + 1 } })
  await mended.service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(beside + 5))
  expect((await mended.health.evaluate('ready')).status).toBe(200)
})

test('F15 · errors that clients cause never halt a partition, even when every record has one', async () => {
  await openWorld()
  const bad = 150
  for (let record = 0; record < bad; record++) await world.append(topicNames.direct, brokenPayload(7))
  const sent = await world.send({ count: 5 })
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent))
  expect(await world.deadLetters()).toHaveLength(bad)
  expect(await writer.metric('svc_writer_halts_total')).toBe(0)
})

test('F18 · while dead letters cannot be written, the offset stays before the bad record; it advances once they can be written', async () => {
  await openWorld({ name: topicNames.deadLetter, maxTopicBytes: 1 })
  const sent = await world.send({ count: 20 })
  await world.append(topicNames.direct, Buffer.from('poison'))
  const writer = world.writer({ config: { retryBudgetMs: 20 } })
  await writer.service.start()
  await waitFor(async () => (await writer.metric('svc_writer_chunks_total', 'deferred')) >= 2, { what: 'two pauses' })
  expect(await world.backlog()).toBe(2)
  expect(await writer.metric('svc_writer_retries_total', 'log_full')).toBeGreaterThan(0)
  expect(await world.counts()).toEqual(stored(sent))
})

test('F16 · a chunk may span as many months as the gateway accepts', async () => {
  await openWorld()
  const day = 86_400_000
  const sent = await world.send({ count: 37, startMs: now - 36 * 30.5 * day, stepMs: 30.4 * day })
  await world.writer().service.start()
  await world.settled()
  expect(await world.counts()).toEqual(stored(sent))
  const [months] = await world.columnStore.query<{ n: string }>('SELECT uniqExact(toYYYYMM(start_time)) AS n FROM events_full')
  expect(Number(months!.n)).toBeGreaterThan(34)
})

import { topicNames } from '@svc-server/modes/names'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createTraceReaders } from '../src/reading/pool.ts'
import { problemsOf, readTopic } from './published.ts'
import { hexOf, newRecord, type StagedRecord, startUs } from './staged.ts'
import { createWorld } from './world.ts'

const record = (trace: number): StagedRecord => ({
  projectId: 'project',
  traceId: hexOf(trace, 32),
  spans: [{ spanId: hexOf(trace, 16), startUs, says: { 'user.id': `user ${trace}` } }],
})
const key = Buffer.from(`project/${hexOf(1, 32)}`)
const garbage = Buffer.from('not a record at all')

test('F17 · an undecodable record becomes a dead letter with all of its bytes, and the partition continues', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  const whole = newRecord(record(2)).value!
  const cut = Buffer.from(whole.subarray(0, whole.length - 3))
  const [, bad, , alsoBad] = await world.stage([record(1), { key, value: garbage }, record(1), { key: null, value: cut }, record(3)])
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.spans.length).toBe(3)
  expect(published.deadLetters.map(({ offset, raw, stage }) => ({ offset, stage, raw: Buffer.from(raw) }))).toEqual([
    { offset: bad!.offset, stage: 'propagator', raw: garbage },
    { offset: alsoBad!.offset, stage: 'propagator', raw: cut },
  ])
  expect(published.ledger.map(({ deadLettered }) => deadLettered).reduce((a, b) => a + b)).toBe(2)
  expect(await world.running.metric('svc_propagator_spans_total', 'dead_lettered')).toBe(2)
})

test('F17 · spans with keys that no gateway writes are published unchanged', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  const { value } = newRecord(record(1))
  const keys = [null, '', '/', 'a', 'no slash in it', 'a/', '/b', `${'k'.repeat(70_000)}/t`].map(text =>
    text === null ? null : Buffer.from(text),
  )
  await world.stage([...keys.map(odd => ({ key: odd, value })), record(2)])
  await world.settled()
  expect(world.running.bugs).toEqual([])
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.spans.length).toBe(keys.length + 1)
})

test('F15 · too many bad records halt their partition and turn health red; nothing is lost, and it continues after the repair', async () => {
  await using world = await createWorld({ partitions: 1, config: { deadLetterMin: 3, haltedPauseMs: 20 } })
  const { health } = await world.start()
  await world.stage([record(1), { key, value: garbage }, { key, value: garbage }, { key, value: garbage }])
  world.advance(1_000)
  await waitFor(
    async () => {
      world.advance(50)
      return (await health.evaluate('ready')).status === 503
    },
    { what: 'the halt' },
  )
  expect((await world.running.service.report()).stuck).toBe(true)
  expect(await world.running.metric('svc_propagator_halted')).toBe(1)
  expect(world.running.bugs).toEqual([])
  expect(await readTopic(world.log, topicNames.filled)).toEqual([])
  expect(await readTopic(world.log, topicNames.deadLetter)).toEqual([])

  await world.stop()
  await world.start({ deadLetterMin: 100 })
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.deadLetters.length).toBe(3)
})

test('F15 · errors that clients cause never halt a partition, even when every record has one', async () => {
  await using world = await createWorld({ partitions: 1, config: { deadLetterMin: 3 } })
  const { health } = await world.start()
  const { value } = newRecord(record(1))
  const payload = Buffer.from('this is no request')
  const broken = encodeSpanBatch({ ...decodeSpanBatch(value!), payload, contentEncoding: 'gzip', decodedBytes: payload.length })
  await world.stage([...Array.from({ length: 20 }, () => ({ key, value: broken })), record(2)])
  await world.settled()
  const published = await world.published()
  expect(published.deadLetters.map(({ reason }) => reason)).toEqual(Array.from({ length: 20 }, () => 'payload_undecodable'))
  expect(published.spans.length).toBe(1)
  expect((await health.evaluate('ready')).status).toBe(200)
})

test('F15 · a value that kills the reading thread becomes a dead letter, and its neighbors are read', async () => {
  const script = new URL('./dying-reader.ts', import.meta.url)
  const readers = createTraceReaders({ threads: 1, maxRecordBytes: 1 << 20, maxRowBytes: 1e9, maxWork: 1e9, brandAliases: [], script })
  const good = Buffer.from(newRecord(record(1)).value!)
  const deadly = encodeSpanBatch({ ...decodeSpanBatch(good), ingestId: 'deadly' })
  const readings = await readers.read([good, deadly, good, good, deadly])
  expect(readings.map(({ ok }) => ok)).toEqual([true, false, true, true, false])
  expect(readings[1]).toMatchObject({ reason: 'exception', projectId: 'project' })
  await readers.stop()
})

test('F18 · while dead letters cannot be written, the bad record waits and is counted once, however often it is retried', async () => {
  await using world = await createWorld({ partitions: 1, config: { deadLetterMin: 3 } })
  const { faults } = await world.start()
  let refused = 0
  faults.fate = () => {
    refused++
    return 'refused'
  }
  await world.stage([record(1), { key, value: garbage }])
  world.advance(1_000)
  await waitFor(
    () => {
      world.advance(50)
      return refused >= 5
    },
    { what: 'five attempts' },
  )
  expect(await readTopic(world.log, topicNames.filled)).toEqual([])
  expect(await world.running.metric('svc_propagator_halted')).toBe(0)
  faults.fate = () => 'done'
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(published.deadLetters.length).toBe(1)
})

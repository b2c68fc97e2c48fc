// Tests F50 in the writer. If a record states that its rows exceed the limit, the record becomes one dead letter. In addition, the writer
// limits each chunk by the bytes and by the work of its rows.
import { topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { attributes, encodeTraceRequest } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, openWorld, world } from './each-world.ts'
import { now, projectId } from './world.ts'

eachTestHasItsWorld('by the test')

const MiB = 1024 * 1024
let made = 0

/** Creates a record whose spans share one resource. Without `rowBytes` and `work`, the record looks like a record of an older gateway. */
function record(resourceBytes: number, spans: number, rowBytes?: number, work?: number): Buffer {
  const startTimeUnixNano = BigInt(now) * 1_000_000n
  const all = Array.from({ length: spans }, () => {
    const id = (++made).toString(16)
    return { traceId: id.padStart(32, '0'), spanId: id.padStart(16, '0'), name: 's', startTimeUnixNano }
  })
  const resource = { attributes: attributes({ large: 'x'.repeat(resourceBytes) }) }
  const payload = encodeTraceRequest({ resourceSpans: [{ resource, scopeSpans: [{ spans: all }] }] })
  return encodeSpanBatch({
    projectId,
    apiKey: 'pk-test',
    sdkName: '',
    sdkVersion: '',
    ingestionVersion: 4,
    receivedAtMs: now,
    ingestId: `budget-${made}`,
    contentEncoding: 'identity',
    decodedBytes: payload.length,
    spanCount: spans,
    ...(rowBytes === undefined ? {} : { rowBytes }),
    ...(work === undefined ? {} : { work }),
    payload,
    traceAttributes: null,
  })
}

test('F50 · a record above the budget becomes dead letters, whether or not it states its size, and its neighbors are stored', async () => {
  await openWorld()
  const before = await world.send({ count: 20 })
  await world.append(topicNames.direct, record(100_000, 200, 20 * MiB))
  // An older gateway wrote this record without `rowBytes`. The writer stores the record's rows up to the limit, and rejects the record's
  // remaining spans one by one.
  await world.append(topicNames.direct, record(100_000, 30))
  const after = await world.send({ count: 20 })
  const writer = world.writer({ config: { maxRowBytes: MiB } })
  await writer.service.start()
  await world.settled()
  const stored = before + 10 + after
  expect(await world.counts()).toEqual({ full: stored, core: stored, distinct: stored })
  const deadLetters = await world.deadLetters()
  const reasons = deadLetters.map(({ reason, index }) => `${reason} ${index === null ? 'record' : 'span'}`)
  expect(Map.groupBy(reasons, each => each)).toEqual(
    new Map([
      ['payload_too_large record', ['payload_too_large record']],
      ['too_large span', Array(20).fill('too_large span')],
    ]),
  )
  expect(writer.bugs).toEqual([])
  expect(await writer.metric('svc_writer_halted')).toBe(0)
})

test('F50 · chunks are cut by the bytes of their rows, not of their records', async () => {
  await openWorld()
  const records = 6
  // Each record has 100 KB on the log. Its rows have 1 MB.
  for (let i = 0; i < records; i++) await world.append(topicNames.direct, record(100_000, 10, 1_002_000))
  const writer = world.writer({ config: { chunkMaxBytes: 1_500_000 } })
  await writer.service.start()
  await world.settled()
  expect(await world.counts()).toEqual({ full: 60, core: 60, distinct: 60 })
  expect(await writer.metric('svc_writer_chunks_total', 'outcome="acknowledged"')).toBe(records)
})

test('F50 · chunks are cut by the work of their rows: small, expensive records get separate chunks, and usual records share one', async () => {
  await openWorld()
  const dear = 7
  for (let i = 0; i < dear; i++) await world.append(topicNames.direct, record(100, 1, 2048, 800_000))
  // This record needs more work than the limit allows, although its rows have few bytes.
  await world.append(topicNames.direct, record(100, 1, 2048, 5_000_000))
  for (let i = 0; i < 20; i++) await world.append(topicNames.direct, record(100, 1, 2048))
  const writer = world.writer()
  await writer.service.start()
  await world.settled()
  expect(await world.counts()).toEqual({ full: 28, core: 28, distinct: 28 })
  // The seven expensive records are in chunks of 3, 3 and 1. The eighth record, which needs more work than the limit allows, has its own
  // chunk. All cheap records share one chunk.
  expect(await writer.metric('svc_writer_chunks_total', 'outcome="acknowledged"')).toBeGreaterThanOrEqual(4)
  expect(await writer.metric('svc_writer_chunks_total', 'outcome="acknowledged"')).toBeLessThanOrEqual(5)
})

import { gzipSync } from 'node:zlib'
import { createDenials } from '@svc-server/deletions/denials'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { SpanCursor } from '@svc-server/otlp/span-cursor'
import { type DeadLetter, encodeDeadLetter, readDeadLetter } from '@svc-server/schema/dead-letter'
import { encodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { createLogger } from '@svc-server/service/logs'
import { encodeTraceRequest, temporaryDirectory } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createDeadLetterCleaner } from '../src/cleaner.ts'
import { leftOf } from '../src/without-deleted.ts'

const [gone, kept] = ['a'.repeat(32), 'b'.repeat(32)]
const secret = 'what nobody may see any more'
const day = 86_400_000
const denials = createDenials()
denials.add({ projectId: 'p', traceId: gone })
denials.add({ projectId: 'p', traceId: 'a trace of v3' })
denials.add({ projectId: 'q', traceId: null })

const accepted = { projectId: 'p', apiKey: 'pk', sdkName: 'python', sdkVersion: '2.60.0', receivedAtMs: 1, ingestId: 'i' }
const spanOf = (traceId: string, at = 0) => ({
  ...{ traceId, spanId: `${at}`.padStart(16, '1'), name: traceId === gone ? secret : 'fine' },
  links: [{ traceId: gone, spanId: '1'.repeat(16) }],
})
const requestOf = (...traceIds: readonly string[]) =>
  encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: traceIds.map(spanOf) }] }] })
const batchOf = (payload: Uint8Array, contentEncoding: 'identity' | 'gzip' = 'identity') =>
  encodeSpanBatch({
    ...accepted,
    ...{ ingestionVersion: 4, contentEncoding, decodedBytes: payload.byteLength, spanCount: 3, traceAttributes: null },
    payload: contentEncoding === 'gzip' ? gzipSync(payload) : payload,
  })
function spanBytes(traceId: string): Uint8Array {
  const cursor = new SpanCursor(requestOf(traceId))
  cursor.next()
  return cursor.bytes.slice(cursor.spanStart, cursor.spanEnd)
}
const eventOf = (entityType: 'trace' | 'observation', entityId: string, body: object) =>
  encodeIngestionEvent({
    ...accepted,
    ...{ entityType, entityId, eventType: 'span-create', eventId: 'e', timestampUs: 1, writeMode: 'dual' },
    body: Buffer.from(JSON.stringify(body)),
  })
const damaged = (bytes: Uint8Array) => Buffer.concat([Buffer.from(bytes).subarray(0, -3), Buffer.from('ffff', 'hex')])

test.each<[what: string, raw: Uint8Array, isGone: boolean]>([
  ['a span', spanBytes(gone), true],
  ['a span that only links to it', spanBytes(kept), false],
  ['a span that cannot be read', damaged(spanBytes(gone)), true],
  ['a trace of the legacy API', eventOf('trace', 'a trace of v3', {}), true],
  ['an observation', eventOf('observation', 'o', { traceId: 'a trace of v3' }), true],
  ['an observation of another trace', eventOf('observation', 'o', { traceId: 'another' }), false],
  ['a record of spans', batchOf(requestOf(gone, gone)), true],
  ['a compressed one', batchOf(requestOf(gone), 'gzip'), true],
  ['one of others', batchOf(requestOf(kept, kept), 'gzip'), false],
  ['one whose spans end too early', batchOf(damaged(requestOf(kept, gone))), true],
  ['bytes that are not a record', Buffer.concat([Buffer.from('c301ffffffffffffffff', 'hex'), requestOf(gone)]), true],
  ['text', Buffer.from(JSON.stringify({ traceId: gone })), true],
  ['nothing', Buffer.alloc(0), false],
])('%s', (_, raw, isGone) => {
  expect(leftOf({ projectId: 'p', raw }, denials)).toBe(isGone ? null : raw)
  expect(leftOf({ projectId: 'other', raw }, denials)).toBe(raw)
  expect(leftOf({ projectId: 'q', raw }, denials)).toBe(null)
  expect(leftOf({ projectId: null, raw }, denials)).toBe(raw)
})

test.each(['identity', 'gzip'] as const)('a record (%s) keeps its spans of other traces unchanged at their positions', encoding => {
  const left = leftOf({ projectId: 'p', raw: batchOf(requestOf(kept, gone, kept), encoding) }, denials)!
  const batch = decodeSpanBatch(left)
  expect([batch.spanCount, Buffer.from(left).includes(secret)]).toEqual([3, false])
  const names: string[] = []
  for (const cursor = new SpanCursor(batch.payload); cursor.next(); ) {
    names.push(Buffer.from(batch.payload.subarray(cursor.spanStart, cursor.spanEnd)).includes('fine') ? 'fine' : 'gone')
  }
  expect(names).toEqual(['fine', 'gone', 'fine'])
  expect(leftOf({ projectId: 'p', raw: left }, denials)).toBe(left)
})

test('on the topic, dead letters of other traces stay, mixed dead letters stay in part, old ones are dropped, and the next scan removes late ones', async () => {
  const directory = await temporaryDirectory('svc-letters-')
  const log = await openEmbeddedLog({ directory: directory.path, topics: topicSpecs({ embedded: true, enabledReaders: [] }) })
  const nowMs = Date.now()
  const deadLetter = (offset: number, raw: Uint8Array, ageMs = 0): DeadLetter => ({
    ...{ id: `spans.direct/0/${offset}/-`, stage: 's', reason: 'r', message: '', topic: 'spans.direct', partition: 0, index: null },
    ...{ projectId: 'p', offset, raw, atMs: nowMs - ageMs },
  })
  const append = (...deadLetters: readonly DeadLetter[]) =>
    log.append(
      topicNames.deadLetter,
      deadLetters.map(each => ({ key: null, value: encodeDeadLetter(each), partition: each.offset % 2 })),
    )
  const cleaner = createDeadLetterCleaner({
    log,
    denials,
    logger: createLogger({ service: 'test', level: 'silent' }),
    clock: () => nowMs,
    restMs: 0,
  })
  const offsets = async () => {
    const found: number[] = []
    for (const partition of [0, 1]) {
      const { partitions } = (await log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)!
      const { records } = await log.read(topicNames.deadLetter, partition, partitions[partition]!.lowWatermark, 1e9)
      for (const { value } of records) {
        expect(Buffer.from(value!).includes(secret)).toBe(false)
        found.push(readDeadLetter(value!)!.offset)
      }
    }
    return found.sort((a, b) => a - b)
  }
  try {
    const [bad, good, both] = [batchOf(requestOf(gone)), batchOf(requestOf(kept)), batchOf(requestOf(gone, kept))]
    await append(
      deadLetter(0, bad),
      deadLetter(1, good),
      deadLetter(2, good, 31 * day),
      deadLetter(3, both),
      deadLetter(4, bad),
      deadLetter(5, bad),
      deadLetter(6, good),
    )
    expect(await cleaner.clean()).toBe(true)
    expect(await offsets()).toEqual([1, 3, 6])
    await append(deadLetter(7, bad))
    while (!(await cleaner.clean())) await new Promise(resume => setTimeout(resume, 5))
    expect(await offsets()).toEqual([1, 3, 6])
  } finally {
    await log.close()
    await directory.remove()
  }
})

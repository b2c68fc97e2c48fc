// Tests small requests with large effects: the propagator copies the attributes of a trace to every span of the trace.

import { topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { maxRecordBytes } from '@svc-server/schema/topics'
import { expect, test } from 'vitest'
import { newestSpans, problemsOf } from './published.ts'
import { hexOf, newRecord, payloadOf, type StagedRecord, type StagedSpan, startMs, startUs, traceKeyOf } from './staged.ts'
import { createWorld } from './world.ts'

const record = (trace: number, ...spans: StagedSpan[]): StagedRecord => ({ projectId: 'p', traceId: hexOf(trace, 32), spans })
const span = (number: number, says: StagedSpan['says'] = {}): StagedSpan => ({ spanId: hexOf(number, 16), startUs: startUs + number, says })
const longTags = (trace: number) => Array.from({ length: 200 }, (_, tag) => `${trace}-${tag}-`.padEnd(200, '€'))

test('a record of the maximum size of spans.staging is published with the largest possible fill-in', async () => {
  const words = Object.fromEntries(
    ['user.id', 'session.id', 'svc.trace.name', 'svc.release', 'svc.version'].map(key => [key, key.padEnd(4096, '-')]),
  )
  const says = { ...words, 'svc.environment': 'e'.repeat(40), 'svc.trace.public': true, 'svc.trace.tags': longTags(1) }
  const child = record(1, span(2))
  const key = Buffer.from(traceKeyOf(child))
  const batchOf = (payload: Uint8Array) =>
    encodeSpanBatch({
      projectId: 'p',
      apiKey: 'pk-test',
      sdkName: 'python',
      sdkVersion: '3.1.0',
      ingestionVersion: 3,
      receivedAtMs: startMs,
      ingestId: 'large',
      contentEncoding: 'identity',
      decodedBytes: payload.byteLength,
      spanCount: 1,
      payload,
      traceAttributes: null,
    })
  const large = (length: number) => payloadOf(record(1, span(2, { 'input.value': 'x'.repeat(length) })))
  const room = maxRecordBytes - key.length - batchOf(large(1024 * 1024)).length + 1024 * 1024
  const value = batchOf(large(room - 16))
  expect(maxRecordBytes - key.length - value.length).toBeLessThan(64)

  await using world = await createWorld({ partitions: 1 })
  await world.start()
  await world.stage([newRecord(record(1, span(1, says))), { key, value }])
  await world.settled()
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  const fills = [...newestSpans(published.spans).values()].map(({ fill }) => fill)
  expect(fills.length).toBe(2)
  for (const fill of fills) expect([fill.userId, fill.tags?.length]).toEqual([words['user.id'], 200])
})

test('long attributes in few compressed bytes end a window at its memory limit, and a transaction at its size limit', async () => {
  const tracesOf = 60
  const recordsOf = 10
  await using world = await createWorld({ partitions: 1, config: { publishBytes: 64 * 1024, maxWindowBytes: 1024 * 1024 } })
  await world.start()
  let number = 0
  for (let trace = 1; trace <= tracesOf; trace++) {
    const children = Array.from({ length: recordsOf }, () => record(trace, span(++number)))
    await world.stage([record(trace, span(++number, { 'svc.trace.tags': longTags(trace) })), ...children])
  }
  await world.settled(120_000)
  expect(await world.running.metric('svc_propagator_windows_total', 'size')).toBeGreaterThanOrEqual(1)
  const published = await world.published()
  expect(problemsOf(published)).toEqual([])
  expect(newestSpans(published.spans).size).toBe(tracesOf * (recordsOf + 1))
  for (const { fill } of newestSpans(published.spans).values()) expect(fill.tags?.length).toBe(200)

  // With its tags, each filled record has 120 KB. A transaction ends with the record that brings the transaction to at least 256 KiB.
  const perRange = published.ledger.filter(({ group }) => group === 'svc.propagator').map(({ rows }) => rows)
  expect(Math.max(...perRange)).toBeLessThanOrEqual(3)
  expect((await world.log.describe()).find(({ spec }) => spec.name === topicNames.filled)!.spec.maxRecordBytes).toBeGreaterThan(
    maxRecordBytes,
  )
})

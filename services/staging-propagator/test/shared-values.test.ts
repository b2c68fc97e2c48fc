// These tests read records from memory that several threads share. The result must not depend on a record's position in this memory, nor on
// earlier records.
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createTraceReader } from '@svc-server/observations/trace'
import { createLinkReader } from '@svc-server/observations/trace/link-reader'
import { createSpanEventReader } from '@svc-server/observations/trace/span-event-reader'
import { packValues, unpackValues } from '@svc-server/owner/packed-values'
import { type ContentEncoding, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { recordedProtobufs } from '@svc-server/testkit'
import { expect, test } from 'vitest'

const compressors = {
  identity: body => body,
  gzip: gzipSync,
  zstd: body => zstdCompressSync(body),
} as const satisfies Partial<Record<ContentEncoding, (body: Uint8Array) => Uint8Array>>

const bodies = recordedProtobufs()

const recordsIn = (contentEncoding: keyof typeof compressors): Buffer[] =>
  bodies.map((body, at) =>
    encodeSpanBatch({
      ...{
        projectId: 'p',
        apiKey: 'k',
        sdkName: 'python',
        sdkVersion: '3.0.0',
        ingestionVersion: 3,
        receivedAtMs: 1e12,
        ingestId: `${at}`,
      },
      ...{ contentEncoding, decodedBytes: body.length, spanCount: 1, payload: compressors[contentEncoding](body), traceAttributes: null },
    }),
  )

function createReading() {
  const [traces, links, events] = [createTraceReader(), createLinkReader(), createSpanEventReader()]
  return (value: Uint8Array) => {
    const said: unknown[] = []
    const read = traces.read(value)
    const told = events.read(value, (...event) => said.push(event))
    return { read, links: links.read(value), ok: told.ok, said }
  }
}

test.each(Object.keys(compressors) as (keyof typeof compressors)[])('recorded requests, %s', encoding => {
  const values = recordsIn(encoding)
  // For each value, the test takes the expected result from a new reader, which shares no memory.
  const expected = values.map(value => createReading()(value))
  expect(expected.filter(({ read }) => read.ok).length).toBeGreaterThan(40)
  const reading = createReading()
  const twice = [...values, ...values.toReversed()]
  expect(unpackValues(packValues(twice, undefined)).map(reading)).toEqual([...expected, ...expected.toReversed()])
})

// The gateway writes its write mode into each record. The test checks each path that a record can take through the gateway.
import { gzipSync } from 'node:zlib'
import { writeModes } from '@svc-server/modes/write-mode'
import { createSpanGenerator, traceRequestJson } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { startGateway } from './gateway.ts'

const topics = ['spans.direct', 'spans.staging']

test.each(writeModes)('%s is on every record: unchanged, split by trace, transcoded or made in a thread', async writeMode => {
  await using gateway = await startGateway({ config: { writeMode, otelBehaviour: 'dual_write' } })
  const generator = createSpanGenerator({ seed: 7, startTimeMs: Date.now(), spansPerRequest: 40 })
  const large = createSpanGenerator({ seed: 8, startTimeMs: Date.now(), spansPerRequest: 600 }).next()
  for (const headers of [{ 'x-svc-ingestion-version': '4' }, { 'x-svc-ingestion-version': '3' }, {}] as Record<string, string>[]) {
    const { protobuf, request } = generator.next()
    const sent = [
      await gateway.send('/v1/traces', { body: protobuf, headers }),
      await gateway.send('/v1/traces', { body: gzipSync(protobuf), headers: { ...headers, 'content-encoding': 'gzip' } }),
      await gateway.send('/v1/traces', {
        body: Buffer.from(traceRequestJson(request)),
        headers: { ...headers, 'content-type': 'application/json' },
      }),
      await gateway.send('/v1/traces', { body: large.protobuf, headers }),
    ]
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  }
  const records = (await Promise.all(topics.map(topic => gateway.batches(topic)))).flat()
  expect(records.length).toBeGreaterThanOrEqual(12)
  expect(new Set(records.map(({ batch }) => batch.writeMode))).toEqual(new Set([writeMode]))
})

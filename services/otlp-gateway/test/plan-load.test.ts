// Tests F26. In each record, the writer counts the tokens of the first `countedRecordBytes` bytes. The gateway therefore adds these bytes
// to the load of each record.
import { countedRecordBytes } from '@svc-server/otlp/work'
import { encodeTraceRequest } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { type ExportJob, planExport } from '../src/stages/plan.ts'
import { incompressible, span } from './requests.ts'

const MiB = 1024 * 1024
const spanBytes = 100_000
const spans = 60

const job: Omit<ExportJob, 'body'> = {
  format: 'protobuf',
  compression: 'identity',
  route: 'direct',
  envelope: {
    projectId: 'project-0',
    apiKey: 'pk-test',
    sdkName: '',
    sdkVersion: '',
    ingestionVersion: null,
    receivedAtMs: Date.now(),
    ingestId: 'ingest-1',
  },
  maxDecodedBytes: 64 * MiB,
  maxRecordBytes: 8 * MiB,
  maxAgeMonths: 36,
  maxRowBytes: 256 * MiB,
  maxWork: 3_000_000,
  maxTraces: 20_000,
}

/** The spans have different texts. Equal texts would be compressed to almost nothing. */
const texts = incompressible(spans * spanBytes)

const bodyOf = (model: string) =>
  encodeTraceRequest({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: Array.from({ length: spans }, (_, i) =>
              span({
                attributes: [
                  { key: model, value: { stringValue: 'gpt-4o' } },
                  { key: 'svc.observation.input', value: { stringValue: texts.slice(i * spanBytes, (i + 1) * spanBytes) } },
                ],
              }),
            ),
          },
        ],
      },
    ],
  })

test.each([
  { maxRecordBytes: 8 * MiB, records: 1 },
  { maxRecordBytes: 2 * MiB, records: 3 },
])('the load includes one counted part per record: $records', ({ maxRecordBytes, records: least }) => {
  const [charged, free] = ['gen_ai.request.model', 'gen_ai.request.mode'].map(key =>
    planExport({ ...job, maxRecordBytes, body: bodyOf(key) }),
  )
  const { length } = charged!.records
  expect(length).toBeGreaterThanOrEqual(least)
  expect(charged!.load - free!.load).toBeCloseTo(Math.min(length * countedRecordBytes, spans * spanBytes) / 4, -4)
})

import { writeModes } from '@svc-server/modes/write-mode'
import fc from 'fast-check'
import type { RunItemFill } from '../src/run-item-fill.ts'
import type { SpanBatch } from '../src/span-batch.ts'

const text = fc.string({ unit: 'binary' })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const runItemFill: fc.Arbitrary<RunItemFill> = fc.record({
  runId: text,
  runName: text,
  datasetId: text,
  itemId: text,
  itemVersionMs: optional(fc.nat({ max: 2 ** 52 })),
  rootSpanId: text,
  runDescription: optional(text),
  runMetadata: optional(text),
  expectedOutput: optional(text),
  itemMetadata: optional(text),
  spans: optional(fc.array(fc.nat({ max: 1000 }))),
})

/** Generates random records of a gateway or a propagator. */
export const spanBatch: fc.Arbitrary<SpanBatch> = fc.record({
  projectId: text,
  apiKey: text,
  sdkName: text,
  sdkVersion: text,
  ingestionVersion: optional(fc.integer()),
  receivedAtMs: fc.maxSafeInteger(),
  ingestId: text,
  contentEncoding: fc.constantFrom('identity', 'gzip', 'zstd'),
  decodedBytes: fc.maxSafeNat(),
  spanCount: fc.integer({ min: 0, max: 0x7fffffff }),
  rowBytes: optional(fc.nat({ max: 2 ** 52 })),
  work: optional(fc.nat({ max: 2 ** 52 })),
  writeMode: optional(fc.constantFrom(...writeModes)),
  runItems: optional(fc.array(runItemFill, { maxLength: 3 })),
  payload: fc.uint8Array({ maxLength: 3000 }),
  traceAttributes: optional(
    fc.record(
      {
        name: text,
        userId: text,
        sessionId: text,
        tags: fc.array(text),
        release: text,
        version: text,
        environment: text,
        public: fc.boolean(),
        metadata: text,
      },
      { requiredKeys: [] },
    ),
  ),
  staged: optional(
    fc.record({ partition: fc.nat(), offset: fc.nat({ max: 2 ** 52 }), timestampMs: fc.nat({ max: 2 ** 52 }), generation: fc.nat() }),
  ),
})

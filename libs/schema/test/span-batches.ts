// Records of spans by chance.
import { writeModes } from '@svc-server/modes/write-mode'
import fc from 'fast-check'
import type { SpanBatch } from '../src/span-batch.ts'

const text = fc.string({ unit: 'binary' })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

/** Any that a gateway or a propagator may write. */
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

// Compares the scan of a request with the decoding of the request. Run: node libs/otlp/bench/scan.bench.ts
import { createSpanGenerator, referenceCodec } from '@svc-server/testkit'
import { sliceByTrace } from '../src/cut.ts'
import { scanTraceRequest } from '../src/scan.ts'
import { forEachSpan } from '../src/span-cursor.ts'
import { report, spansPerSecond } from './measure.ts'

const receivedAtMs = Date.UTC(2026, 10, 21)
const generator = createSpanGenerator({ seed: 1, startTimeMs: receivedAtMs, spansPerRequest: 100 })
const requests = Array.from({ length: 8 }, () => Buffer.from(generator.next().protobuf))
const spans = requests.length * 100
const bytes = requests.reduce((sum, r) => sum + r.length, 0)
const all = (work: (request: Uint8Array) => unknown) => () => {
  for (const request of requests) work(request)
}

report(
  'otlp scan',
  { bytesPerSpan: Math.round(bytes / spans) },
  {
    'protobufjs static decode': spansPerSecond(spans, all(referenceCodec.decode)),
    forEachSpan: spansPerSecond(
      spans,
      all(request => forEachSpan(request, () => undefined)),
    ),
    scanTraceRequest: spansPerSecond(
      spans,
      all(request => scanTraceRequest(request, { receivedAtMs, maxAgeMonths: 36 })),
    ),
    'scan and sliceByTrace': spansPerSecond(
      spans,
      all(request => sliceByTrace(request, scanTraceRequest(request, { receivedAtMs, maxAgeMonths: 36 }))),
    ),
  },
)

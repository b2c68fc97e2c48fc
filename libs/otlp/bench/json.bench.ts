// Compares the time of our conversion from OTLP/JSON to protobuf with the time of JSON.parse. JSON.parse is only the first step of a
// typical converter. Run: node libs/otlp/bench/json.bench.ts
import { createSpanGenerator } from '@svc-server/testkit'
import { transcodeJsonRequest } from '../src/json/transcode.ts'
import { report, spansPerSecond } from './measure.ts'

const generator = createSpanGenerator({ seed: 1, startTimeMs: Date.UTC(2026, 10, 21), spansPerRequest: 100 })
const requests = Array.from({ length: 8 }, () => Buffer.from(generator.next().json))
const spans = requests.length * 100
const bytes = requests.reduce((sum, r) => sum + r.length, 0)
const all = (work: (request: Buffer) => unknown) => () => {
  for (const request of requests) work(request)
}

report(
  'otlp json',
  { bytesPerSpan: Math.round(bytes / spans) },
  {
    'JSON.parse': spansPerSecond(
      spans,
      all(request => JSON.parse(request.toString())),
    ),
    transcodeJsonRequest: spansPerSecond(spans, all(transcodeJsonRequest)),
  },
)

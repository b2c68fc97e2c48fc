// The reading thread: decompression and a walk over the attributes of every staged span. Stateless.
import { parentPort, workerData } from 'node:worker_threads'
import { createTraceReader } from '@svc-server/observations/trace'
import { flattenReadings, type PackedValues, type ReaderData, type ReadValues, type RecordReading, unpackValues } from './messages.ts'

const { maxRecordBytes, maxRowBytes, maxWork, brandAliases } = workerData as ReaderData
const reader = createTraceReader({ maxDecodedBytes: maxRecordBytes, maxRowBytes, maxWork, brandAliases })

function read(value: Uint8Array): RecordReading {
  const reading = reader.read(value)
  return reading.ok ? { ok: true, spans: reading.spans, candidates: reading.candidates, cut: reading.cut } : reading
}

parentPort!.on('message', (packed: PackedValues) => {
  const answer: ReadValues = { readings: flattenReadings(unpackValues(packed).map(read)), buffer: packed.buffer }
  parentPort!.postMessage(answer, [packed.buffer])
})

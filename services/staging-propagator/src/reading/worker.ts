// The reading thread: decompression and a walk over the attributes of every staged span. Stateless.
import { parentPort, workerData } from 'node:worker_threads'
import { candidatesOfEntity } from '@svc-server/entities/candidates'
import { entityOfRecord } from '@svc-server/entities/codec'
import { createTraceReader } from '@svc-server/observations/trace'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { flattenReadings, type PackedValues, type ReaderData, type ReadValues, type RecordReading, unpackValues } from './messages.ts'

const { maxRecordBytes, maxRowBytes, maxWork, brandAliases } = workerData as ReaderData
const reader = createTraceReader({ maxDecodedBytes: maxRecordBytes, maxRowBytes, maxWork, brandAliases })

/** A staged entity of the merger counts as one span. */
function readEntity(value: Uint8Array): RecordReading {
  try {
    return { ok: true, spans: 1, candidates: candidatesOfEntity(entityOfRecord(decodeEntity(value))), cut: 0 }
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return { ok: false, reason: 'record_undecodable', message: error.message, projectId: null }
  }
}

function read(value: Uint8Array): RecordReading {
  if (isEntity(value)) return readEntity(value)
  const reading = reader.read(value)
  return reading.ok ? { ok: true, spans: reading.spans, candidates: reading.candidates, cut: reading.cut } : reading
}

parentPort!.on('message', (packed: PackedValues) => {
  const answer: ReadValues = { readings: flattenReadings(unpackValues(packed).map(read)), buffer: packed.buffer }
  parentPort!.postMessage(answer, [packed.buffer])
})

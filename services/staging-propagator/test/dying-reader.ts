// A reading thread with a defect that one value triggers.
import { parentPort } from 'node:worker_threads'
import { type PackedValues, unpackValues } from '@svc-server/owner/packed-values'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { flattenReadings, type RecordReading } from '../src/reading/messages.ts'

function read(value: Uint8Array): RecordReading {
  if (decodeSpanBatch(value).ingestId === 'deadly') throw new TypeError('a defect')
  return { ok: true, spans: 1, cut: 0, candidates: { winners: [], tags: [], rootSeen: false } }
}

parentPort!.on('message', ({ packed }: { readonly packed: PackedValues }) => {
  parentPort!.postMessage(flattenReadings(unpackValues(packed).map(read)))
})

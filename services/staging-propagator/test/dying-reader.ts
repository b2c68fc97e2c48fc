// A reading thread with a defect: it dies at one particular value.
import { serveJobs } from '@svc-server/fairness/pool-thread'
import { type PackedValues, unpackValues } from '@svc-server/owner/packed-values'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { flattenReadings, type RecordReading } from '../src/reading/messages.ts'

function read(value: Uint8Array): RecordReading {
  if (decodeSpanBatch(value).ingestId === 'deadly') throw new TypeError('a defect')
  return { ok: true, spans: 1, cut: 0, candidates: { winners: [], tags: [], rootSeen: false } }
}

serveJobs(({ packed }: { readonly packed: PackedValues }, port) => {
  port.postMessage(flattenReadings(unpackValues(packed).map(read)))
})

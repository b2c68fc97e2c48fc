// The encoding thread: records in, one Native block out. Stateless but for the memory of blocks that were stored, and the catalogue.
import { parentPort, workerData } from 'node:worker_threads'
import { transferables } from '@svc-server/column-store/native'
import { isAppError } from '@svc-server/errors'
import { createChunkEncoder } from '@svc-server/observations'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import { type CatalogueAnswer, type EncodeAnswer, type EncodeRequest, type EncoderData, type ToEncoder, unpackRecords } from './messages.ts'

const port = parentPort!
const { maxRecordBytes, maxRowBytes, maxWork, brandAliases } = workerData as EncoderData
const createEncoder = () => createChunkEncoder({ maxDecodedBytes: maxRecordBytes, maxRowBytes, maxWork, brandAliases })
let encoder = createEncoder()
let catalogue: CatalogueSnapshot | undefined

port.on('message', (message: ToEncoder) => {
  if (message.kind === 'recycle') return encoder.recycle(message.buffers.map(buffer => new Uint8Array(buffer)))
  if (message.kind === 'catalogue') {
    catalogue = message.snapshot
    const answer: CatalogueAnswer = { version: message.snapshot.version, warnings: encoder.useCatalogue(message.snapshot) }
    return port.postMessage(answer)
  }
  const { id } = message
  try {
    const result = resultOf(message)
    const answer: EncodeAnswer = { id, ok: true, result }
    port.postMessage(answer, 'body' in result ? transferables(result.body) : [])
  } catch (error) {
    // It may have stopped in the middle of a row, which must not stand in the next block.
    encoder = createEncoder()
    if (catalogue !== undefined) encoder.useCatalogue(catalogue)
    const answer: EncodeAnswer = { id, ok: false, error, ...(isAppError(error) ? { code: error.code } : {}) }
    port.postMessage(answer)
  }
})

function resultOf({ kind, records: packed, only }: EncodeRequest) {
  const records = unpackRecords(packed)
  if (kind === 'places') return encoder.places(records)
  return kind === 'raws' ? encoder.raws(records, only ?? new Map()) : encoder.encode(records, only)
}

// The encoding thread's work: records in, one Native block out, by the encoder of the destination that is asked for. Stateless but for the memory of
// blocks that were stored, and the catalogue.
import { parentPort, workerData } from 'node:worker_threads'
import { transferables } from '@svc-server/column-store/native'
import { isAppError } from '@svc-server/errors'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import type { Destination } from '../destinations/destination.ts'
import { type CatalogueAnswer, type EncodeAnswer, type EncodeRequest, type EncoderData, type ToEncoder, unpackRecords } from './messages.ts'
import type { RowEncoder } from './row-encoder.ts'

/** Answers requests for these destinations, as far as the writer uses them. */
export async function serveEncoders(list: readonly Destination[]): Promise<void> {
  const port = parentPort!
  const { tables, ...options } = workerData as EncoderData
  const encoders = new Map<string, RowEncoder>()
  for (const { table, createEncoder } of list) if (tables.includes(table)) encoders.set(table, await createEncoder(options))
  let catalogue: CatalogueSnapshot | undefined
  // A new encoder takes a moment, and requests are answered in their order.
  let ready = Promise.resolve()

  function useCatalogue(snapshot: CatalogueSnapshot): void {
    catalogue = snapshot
    const warnings = [...encoders.values()].flatMap(encoder => encoder.useCatalogue?.(snapshot) ?? [])
    port.postMessage({ version: snapshot.version, warnings: [...new Set(warnings)] } satisfies CatalogueAnswer)
  }

  /** One that threw may have stopped in the middle of a row, which must not stand in the next block. */
  async function replace(of: string): Promise<void> {
    const encoder = await list.find(({ table }) => table === of)!.createEncoder(options)
    if (catalogue !== undefined) encoder.useCatalogue?.(catalogue)
    encoders.set(of, encoder)
  }

  async function answer(request: EncodeRequest): Promise<void> {
    const { id, table } = request
    try {
      const result = resultOf(encoders.get(table)!, request)
      port.postMessage({ id, ok: true, result } satisfies EncodeAnswer, 'body' in result ? transferables(result.body) : [])
    } catch (error) {
      await replace(table)
      port.postMessage({ id, ok: false, error, ...(isAppError(error) ? { code: error.code } : {}) } satisfies EncodeAnswer)
    }
  }

  async function receive(message: ToEncoder): Promise<void> {
    if (message.kind === 'recycle') encoders.get(message.table)?.recycle?.(message.buffers.map(buffer => new Uint8Array(buffer)))
    else if (message.kind === 'catalogue') useCatalogue(message.snapshot)
    else await answer(message)
  }

  port.on('message', (message: ToEncoder) => {
    // What throws here is a defect of the thread: it dies of it, and the host knows.
    ready = ready.then(() => receive(message))
  })
}

function resultOf(encoder: RowEncoder, { kind, records: packed, only }: EncodeRequest) {
  const records = unpackRecords(packed)
  if (kind === 'places') return encoder.places(records)
  return kind === 'raws' ? encoder.raws(records, only ?? new Map()) : encoder.encode(records, only)
}

// The encoding thread. Between requests, it keeps the encoders, the catalog, and the buffers of stored blocks. It uses these buffers again
// for new blocks.
import { parentPort, workerData } from 'node:worker_threads'
import { buffersOf, createBufferPool, transferables } from '@svc-server/column-store/native'
import { denialsOf, type FrozenDenials, frozenDenials, nothingDenied, sharedDenials } from '@svc-server/deletions/denials'
import { isAppError } from '@svc-server/errors'
import { serveJobs } from '@svc-server/fairness/pool-thread'
import { goBehindOthers } from '@svc-server/fairness/thread-priority'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import type { Destination } from '../destinations/destination.ts'
import type { RowEncoder } from '../destinations/row-encoder.ts'
import { type CatalogReport, type DenialsUse, type EncodeAnswer, type EncodeRequest, type EncoderData, unpackRecords } from './messages.ts'

const poolBytes = 192 << 20

export async function serveEncoders(list: readonly Destination[]): Promise<void> {
  const port = parentPort!
  const { tables, isBackground, ...limits } = workerData as EncoderData
  const pool = createBufferPool(poolBytes)
  const options = { ...limits, pool }
  if (isBackground) goBehindOthers('background')
  const encoders = new Map<string, RowEncoder>()
  for (const { table, createEncoder } of list) if (tables.includes(table)) encoders.set(table, await createEncoder(options))
  let catalog: CatalogSnapshot | undefined

  function use(snapshot: CatalogSnapshot): CatalogReport {
    catalog = snapshot
    const warnings = [...encoders.values()].flatMap(encoder => encoder.useCatalog?.(snapshot) ?? [])
    return { version: snapshot.version, warnings: [...new Set(warnings)] }
  }

  /** Replaces an encoder that failed, so that the failed encoder's partial row does not appear in the next block. */
  async function replace(of: string): Promise<void> {
    const encoder = await list.find(({ table }) => table === of)!.createEncoder(options)
    if (catalog !== undefined) encoder.useCatalog?.(catalog)
    encoders.set(of, encoder)
  }

  async function answerTo(request: EncodeRequest): Promise<EncodeAnswer> {
    for (const buffer of request.stored) pool.give(buffer)
    pool.forget(request.lostBytes)
    const { version, snapshot } = request.catalog ?? {}
    const isNew = version !== undefined && version !== catalog?.version
    if (isNew && snapshot === undefined) return { kind: 'no catalog' }
    const report = isNew ? { catalog: use(snapshot!) } : {}
    try {
      return { kind: 'result', result: resultOf(encoders.get(request.table)!, request), ...report }
    } catch (error) {
      await replace(request.table)
      return { kind: 'error', error, ...(isAppError(error) ? { code: error.code } : {}), ...report }
    }
  }

  async function serve(request: EncodeRequest): Promise<void> {
    const answer = await answerTo(request)
    const moved = answer.kind === 'result' && 'body' in answer.result ? transferables(buffersOf(answer.result.body)) : []
    port.postMessage(answer, moved)
    // Frees the memory of the records explicitly. The records take megabytes outside the heap. Unfreed memory of this size
    // would make the garbage collector mark the whole heap.
    request.records.bytes.buffer.transfer(0)
  }

  serveJobs((request: EncodeRequest) => void serve(request))
}

function resultOf(encoder: RowEncoder, { kind, records: packed, only, denials: use }: EncodeRequest) {
  const records = unpackRecords(packed)
  const denials = denialsIn(use)
  if (kind === 'raws') return encoder.raws(records, only ?? new Map(), denials)
  if (kind === 'places') return encoder.places(records, denials)
  return { ...encoder.encode(records, only, denials), matched: denials.matched }
}

function denialsIn(use: DenialsUse | undefined): FrozenDenials {
  if (use === undefined) return frozenDenials(nothingDenied)
  return frozenDenials('shared' in use ? sharedDenials(use.shared) : denialsOf(use.list))
}

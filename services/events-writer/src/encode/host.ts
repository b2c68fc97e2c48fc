// The part of the encoder that runs on the main thread and calls the encoding thread. Encoding takes tens of milliseconds per megabyte. If
// the main thread did this work, heartbeats and requests would be late (F38).
import { buffersOf, transferables } from '@svc-server/column-store/native'
import { AppError, type ErrorCode } from '@svc-server/errors'
import { createWorkerPool, type ThreadSource } from '@svc-server/fairness/worker-pool'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import type { Logger } from '@svc-server/service/logs'
import type { EncodedRows, RawItem, RowPlace, RowSelection } from '../destinations/row-encoder.ts'
import {
  type CatalogReport,
  type CatalogUse,
  type ChunkRecord,
  type DenialsUse,
  type EncodeAnswer,
  type EncodedBlock,
  type EncodeRequest,
  type EncoderData,
  type PackedRecords,
  packRecords,
} from './messages.ts'

export interface EncodeJob {
  /** The destination's table. */
  readonly table: string
  readonly topic: string
  readonly partition: number
  readonly records: readonly ChunkRecord[]
  /** If absent, all rows are selected. */
  readonly only?: RowSelection
  /** The deletions that apply to the records. If absent, no deletion applies. */
  readonly denials?: DenialsUse
  /** The catalog of models, prices and prompts. If it is absent, the job uses the catalog of the previous job. */
  readonly catalog?: CatalogSnapshot
}

export interface EncoderHost {
  /** Rejects with the error that the encoder threw. If the thread dies, the job is retried once, on a new thread. */
  encode(job: EncodeJob): Promise<EncodedBlock>
  /** Returns the keys and versions of the rows, in the order of the block. Rejects as `encode` does. */
  places(job: EncodeJob): Promise<readonly RowPlace[]>
  /** Rejects as `encode` does. */
  raws(job: EncodeJob): Promise<readonly RawItem[]>
  /** Returns the memory of a stored block to its pool. Afterwards, the caller must not read the block. */
  recycle(encoded: EncodedRows): void
  stop(): Promise<void>
}

const maxLoggedWarnings = 20

export interface EncoderHostOptions extends EncoderData {
  readonly logger: Logger
  readonly script: URL
  readonly threads?: ThreadSource | undefined
}

export function createEncoderHost({ logger, script, threads, ...workerData }: EncoderHostOptions): EncoderHost {
  // One thread is enough: it encodes a chunk while the previous chunk is inserted.
  const pool = createWorkerPool<EncodeRequest, EncodeAnswer>({ script, size: 1, workerData, threads })
  let stored: ArrayBufferLike[] = []
  let lostBytes = 0
  let blocks = watchBlocks()
  let catalogVersion: string | null = null
  let stopped = false
  /** Packs one job after another, so that they reach the thread in order. */
  let packing: Promise<unknown> = Promise.resolve()

  /**
   * Counts the bytes of the current thread's blocks that were collected as garbage and not returned to the pool. The writer returns a block
   * to the pool only after its rows have been stored. Until then, an insert may still be reading the memory of the block. When the thread
   * ends, its count is dropped.
   */
  function watchBlocks(): FinalizationRegistry<number> {
    const registry = new FinalizationRegistry<number>(bytes => {
      if (registry === blocks) lostBytes += bytes
    })
    return registry
  }

  function packed({ topic, partition, records }: EncodeJob): Promise<PackedRecords> {
    const mine = packing.then(() => packRecords(topic, partition, records))
    packing = mine.catch(() => {})
    return mine
  }

  function catalogOf({ catalog }: EncodeJob, isMissing: boolean): { readonly catalog?: CatalogUse } {
    if (catalog === undefined) return {}
    const { version } = catalog
    if (version === catalogVersion && !isMissing) return { catalog: { version } }
    catalogVersion = version
    return { catalog: { version, snapshot: catalog } }
  }

  /** Rejects when the thread dies. */
  async function request(kind: EncodeRequest['kind'], job: EncodeJob, isMissing = false): Promise<EncodeAnswer> {
    const records = await packed(job)
    const returned = { stored, lostBytes }
    stored = []
    lostBytes = 0
    const { table, only, denials } = job
    return pool.run(
      { kind, table, records, ...returned, ...(only ? { only } : {}), ...(denials ? { denials } : {}), ...catalogOf(job, isMissing) },
      [records.bytes.buffer, ...transferables(returned.stored)],
    )
  }

  async function answered(kind: EncodeRequest['kind'], job: EncodeJob): Promise<EncodeAnswer> {
    const answer = await request(kind, job)
    // A new thread has no catalog yet, so the request is sent again with the catalog.
    return answer.kind === 'no catalog' ? request(kind, job, true) : answer
  }

  async function ask<Result>(kind: EncodeRequest['kind'], job: EncodeJob): Promise<Result> {
    if (stopped) throw isStopped()
    try {
      const answer = await answered(kind, job).catch((error: unknown) => {
        if (stopped) throw isStopped()
        logger.error({ err: error, table: job.table }, 'The encoding thread exited and is replaced')
        catalogVersion = null
        blocks = watchBlocks()
        return answered(kind, job)
      })
      if (answer.catalog !== undefined) report(answer.catalog)
      if (answer.kind === 'result') return answer.result as Result
      throw answer.kind === 'error' ? errorOf(answer) : new Error('The encoding thread received a catalog, but does not have it')
    } catch (error) {
      throw stopped ? isStopped() : error
    }
  }

  function report({ version, warnings }: CatalogReport): void {
    logger.info({ catalog: version }, 'A catalog of models, prices and prompts is now in use')
    if (warnings.length > 0)
      logger.warn(
        { catalog: version, warnings: warnings.slice(0, maxLoggedWarnings) },
        'Some models, prices or prompts of the catalog are not usable',
      )
  }

  return {
    async encode(job) {
      const encoded = await ask<EncodedBlock>('encode', job)
      blocks.register(encoded.body, sharedBytesOf(encoded.body), encoded.body)
      return encoded
    },
    places: job => ask('places', job),
    raws: job => ask('raws', job),
    recycle({ body }) {
      blocks.unregister(body)
      for (const buffer of buffersOf(body)) stored.push(buffer)
    },
    stop() {
      stopped = true
      return pool.stop()
    },
  }
}

const sharedBytesOf = (body: readonly Uint8Array[]): number =>
  buffersOf(body).reduce((sum, buffer) => sum + (buffer instanceof SharedArrayBuffer ? buffer.byteLength : 0), 0)

/**
 * This error comes from the encoder's stop, not from a record. The writer therefore does not reject the chunk's records. The chunk keeps
 * its intent.
 */
const isStopped = () => new AppError('draining', 'the encoder is stopped')

const errorOf = ({ error, code }: { readonly error: unknown; readonly code?: string }): unknown =>
  code === undefined ? error : new AppError(code as ErrorCode, error instanceof Error ? error.message : String(error), {}, { cause: error })

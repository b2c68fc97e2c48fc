// The main thread's side of the encoder. Decompression, mapping and hashing take tens of milliseconds a megabyte: on the
// event loop they would stop heartbeats, and every request of a process that also serves (F38).
import { buffersOf, transferables } from '@svc-server/column-store/native'
import { AppError, type ErrorCode } from '@svc-server/errors'
import { createWorkerPool, type ThreadSource } from '@svc-server/fairness/worker-pool'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import type { Logger } from '@svc-server/service/logs'
import type { EncodedRows, RawItem, RowPlace, RowSelection } from '../destinations/row-encoder.ts'
import {
  type CatalogueReport,
  type CatalogueUse,
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
  /** Of the destination. */
  readonly table: string
  readonly topic: string
  readonly partition: number
  readonly records: readonly ChunkRecord[]
  /** Absent: all rows. */
  readonly only?: RowSelection
  /** What was deleted; absent: nothing. */
  readonly denials?: DenialsUse
  /** Models, prices and prompts. Absent: those of the job before, or none. */
  readonly catalogue?: CatalogueSnapshot
}

export interface EncoderHost {
  /** Rejects with what the encoder threw. A thread that dies is replaced and asked once more; dying twice on the same job is a bug. */
  encode(job: EncodeJob): Promise<EncodedBlock>
  /** Who the rows of a job are, in the order of its block. Rejects as `encode` does. */
  places(job: EncodeJob): Promise<readonly RowPlace[]>
  /** The messages of the selected rows. Rejects as `encode` does. */
  raws(job: EncodeJob): Promise<readonly RawItem[]>
  /** Gives the memory of a stored block back. Nobody may read it any more. */
  recycle(encoded: EncodedRows): void
  stop(): Promise<void>
}

const maxLoggedWarnings = 20

export interface EncoderHostOptions extends EncoderData {
  readonly logger: Logger
  /** Of the thread: it has to know the tables. */
  readonly script: URL
  /** Absent: its own. */
  readonly threads?: ThreadSource | undefined
}

export function createEncoderHost({ logger, script, threads, ...workerData }: EncoderHostOptions): EncoderHost {
  // One thread: a chunk is encoded while the one before it is inserted.
  const pool = createWorkerPool<EncodeRequest, EncodeAnswer>({ script, size: 1, workerData, threads })
  /** Memory that the thread gets back with its next request, and what it need not wait for. */
  let stored: ArrayBufferLike[] = []
  let lostBytes = 0
  let blocks = watchBlocks()
  /** Version of the catalogue that the thread was given last. */
  let catalogueVersion: string | null = null
  let stopped = false
  /** One after the other, so that jobs reach the thread in the order of calls. */
  let packing: Promise<unknown> = Promise.resolve()

  /** A block that was not stored is given back by nobody: an insert of it may still be on its way. Of one thread: with another, nothing of it counts. */
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

  function catalogueOf({ catalogue }: EncodeJob, isMissing: boolean): { readonly catalogue?: CatalogueUse } {
    if (catalogue === undefined) return {}
    const { version } = catalogue
    if (version === catalogueVersion && !isMissing) return { catalogue: { version } }
    catalogueVersion = version
    return { catalogue: { version, snapshot: catalogue } }
  }

  /** Rejects when the thread dies. */
  async function request(kind: EncodeRequest['kind'], job: EncodeJob, isMissing = false): Promise<EncodeAnswer> {
    const records = await packed(job)
    const returned = { stored, lostBytes }
    stored = []
    lostBytes = 0
    const { table, only, denials } = job
    return pool.run(
      { kind, table, records, ...returned, ...(only ? { only } : {}), ...(denials ? { denials } : {}), ...catalogueOf(job, isMissing) },
      [records.bytes.buffer, ...transferables(returned.stored)],
    )
  }

  async function answered(kind: EncodeRequest['kind'], job: EncodeJob): Promise<EncodeAnswer> {
    const answer = await request(kind, job)
    // A thread that has just replaced another one has been given no catalogue yet.
    return answer.kind === 'no catalogue' ? request(kind, job, true) : answer
  }

  async function ask<Result>(kind: EncodeRequest['kind'], job: EncodeJob): Promise<Result> {
    if (stopped) throw isStopped()
    try {
      const answer = await answered(kind, job).catch((error: unknown) => {
        if (stopped) throw isStopped()
        logger.error({ err: error, table: job.table }, 'The encoding thread died and is replaced')
        catalogueVersion = null
        blocks = watchBlocks()
        return answered(kind, job)
      })
      if (answer.catalogue !== undefined) report(answer.catalogue)
      if (answer.kind === 'result') return answer.result as Result
      throw answer.kind === 'error' ? errorOf(answer) : new Error('The encoding thread was given a catalogue and does not have it')
    } catch (error) {
      throw stopped ? isStopped() : error
    }
  }

  function report({ version, warnings }: CatalogueReport): void {
    logger.info({ catalogue: version }, 'A catalogue of models, prices and prompts is in use')
    if (warnings.length > 0)
      logger.warn({ catalogue: version, warnings: warnings.slice(0, maxLoggedWarnings) }, 'Parts of it are not usable')
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

/** Not a defect of what was being encoded: the chunk keeps its intent for the next start. */
const isStopped = () => new AppError('draining', 'the encoder is stopped')

const errorOf = ({ error, code }: { readonly error: unknown; readonly code?: string }): unknown =>
  code === undefined ? error : new AppError(code as ErrorCode, error instanceof Error ? error.message : String(error), {}, { cause: error })

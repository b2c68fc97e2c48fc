// The main thread's side of the encoder. Decompression, mapping and hashing take tens of milliseconds a megabyte: on the
// event loop they would stop heartbeats, and every request of a process that also serves (F38).
import { Worker } from 'node:worker_threads'
import { transferables } from '@svc-server/column-store/native'
import { AppError, type ErrorCode } from '@svc-server/errors'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import type { Logger } from '@svc-server/service/logs'
import {
  type CatalogueRequest,
  type ChunkRecord,
  type EncodeRequest,
  type EncoderData,
  type FromEncoder,
  packRecords,
  type RecycleRequest,
} from './messages.ts'
import type { EncodedRows, RawItem, RowPlace, RowSelection } from './row-encoder.ts'

export interface EncodeJob {
  /** Of the destination. */
  readonly table: string
  readonly topic: string
  readonly partition: number
  readonly records: readonly ChunkRecord[]
  /** Absent: all rows. */
  readonly only?: RowSelection
  /** Models, prices and prompts. Absent: those of the job before, or none. */
  readonly catalogue?: CatalogueSnapshot
}

export interface EncoderHost {
  /** Rejects with what the encoder threw. A thread that dies is replaced and asked once more; dying twice on the same job is a bug. */
  encode(job: EncodeJob): Promise<EncodedRows>
  /** Who the rows of a job are, in the order of its block. Rejects as `encode` does. */
  places(job: EncodeJob): Promise<readonly RowPlace[]>
  /** The messages of the selected rows. Rejects as `encode` does. */
  raws(job: EncodeJob): Promise<readonly RawItem[]>
  /** Gives the memory of a stored block back. Nobody may read it any more. */
  recycle(table: string, encoded: EncodedRows): void
  stop(): Promise<void>
}

interface Pending {
  readonly kind: EncodeRequest['kind']
  readonly job: EncodeJob
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
  /** A thread has it; until then it is being packed. */
  posted: boolean
  /** Threads that died while they had it. */
  deaths: number
}

const maxLoggedWarnings = 20

export interface EncoderHostOptions extends EncoderData {
  readonly logger: Logger
  /** Of the thread: it has to know the tables. */
  readonly script: URL
}

export function createEncoderHost({
  logger,
  script,
  tables,
  maxRecordBytes,
  maxRowBytes,
  maxWork,
  brandAliases,
}: EncoderHostOptions): EncoderHost {
  const pending = new Map<number, Pending>()
  let worker: Worker | null = null
  /** Version of the catalogue that the thread has. */
  let catalogueVersion: string | null = null
  let nextId = 0
  let stopped = false
  /** One job after the other, so that they reach the thread in the order of calls. */
  let sending = Promise.resolve()

  function send(id: number, waiting: Pending): void {
    waiting.posted = false
    sending = sending
      .then(() => post(id, waiting))
      .catch((error: unknown) => {
        pending.delete(id)
        waiting.reject(error)
      })
  }

  async function post(id: number, waiting: Pending): Promise<void> {
    if (!pending.has(id)) return
    const { kind, job } = waiting
    const records = await packRecords(job.topic, job.partition, job.records)
    if (!pending.has(id)) return
    waiting.posted = true
    const request: EncodeRequest = { kind, id, table: job.table, records, ...(job.only ? { only: job.only } : {}) }
    worker ??= startWorker()
    worker.ref()
    if (job.catalogue !== undefined && job.catalogue.version !== catalogueVersion) {
      catalogueVersion = job.catalogue.version
      worker.postMessage({ kind: 'catalogue', snapshot: job.catalogue } satisfies CatalogueRequest)
    }
    worker.postMessage(request, [records.bytes.buffer])
  }

  function startWorker(): Worker {
    const started = new Worker(script, { workerData: { tables, maxRecordBytes, maxRowBytes, maxWork, brandAliases } satisfies EncoderData })
    started.on('message', onAnswer)
    started.on('error', error => lost(started, error))
    started.on('exit', code => lost(started, new Error(`the encoding thread ended with code ${code}`)))
    return started
  }

  function onAnswer(answer: FromEncoder): void {
    if ('warnings' in answer) {
      const { version, warnings } = answer
      logger.info({ catalogue: version }, 'A catalogue of models, prices and prompts is in use')
      if (warnings.length > 0)
        logger.warn({ catalogue: version, warnings: warnings.slice(0, maxLoggedWarnings) }, 'Parts of it are not usable')
      return
    }
    const waiting = pending.get(answer.id)
    pending.delete(answer.id)
    // An idle thread does not keep a process alive that has nothing else to do.
    if (pending.size === 0) worker?.unref()
    if (answer.ok) waiting?.resolve(answer.result as never)
    else waiting?.reject(errorOf(answer))
  }

  function lost(dead: Worker, cause: unknown): void {
    if (worker !== dead) return
    worker = null
    catalogueVersion = null
    if (stopped) return
    logger.error({ err: cause, jobs: pending.size }, 'The encoding thread died and is replaced')
    const had = [...pending].filter(([, { posted }]) => posted)
    const [atWork] = had.map(([id]) => id)
    for (const [id, waiting] of had) {
      // Jobs are done in their order: those behind the first one had no part in it.
      if (id === atWork) waiting.deaths += 1
      if (waiting.deaths > 1) {
        pending.delete(id)
        waiting.reject(cause)
      } else send(id, waiting)
    }
  }

  function ask<Result>(kind: EncodeRequest['kind'], job: EncodeJob): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (stopped) return reject(isStopped())
      const waiting: Pending = { kind, job, resolve, reject, posted: false, deaths: 0 }
      const id = nextId++
      pending.set(id, waiting)
      send(id, waiting)
    })
  }

  return {
    encode: job => ask('encode', job),
    places: job => ask('places', job),
    raws: job => ask('raws', job),
    recycle(table, encoded) {
      const buffers = transferables(encoded.body)
      worker?.postMessage({ kind: 'recycle', table, buffers } satisfies RecycleRequest, buffers)
    },
    async stop() {
      stopped = true
      for (const { reject } of pending.values()) reject(isStopped())
      pending.clear()
      await worker?.terminate()
    },
  }
}

/** Not a defect of what was being encoded: the chunk keeps its intent for the next start. */
const isStopped = () => new AppError('draining', 'the encoder is stopped')

const errorOf = ({ error, code }: { error: unknown; code?: string }): unknown =>
  code === undefined ? error : new AppError(code as ErrorCode, error instanceof Error ? error.message : String(error), {}, { cause: error })

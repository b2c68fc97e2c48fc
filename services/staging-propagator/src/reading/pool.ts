// The event loop's side of the reading thread: what a batch of records costs to decompress and walk would
// stop heartbeats and requests.
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { createWorkerPool, type WorkerPool } from '@svc-server/stream/worker-pool'
import { createIsolatingReaders, type IsolatingReaders } from './isolating.ts'
import { type PackedValues, packValues, type ReaderData, type ReadValues, type RecordReading, unflattenReadings } from './messages.ts'

/** One reading per value, in order. A value on which the thread dies is a reading of its own: `exception`. */
export type TraceReaders = IsolatingReaders<Uint8Array, readonly RecordReading[]>

const defaultScript = new URL('./worker.ts', import.meta.url)
/** One being filled while one is read. */
const mostSpares = 2

export interface TraceReadersOptions extends ReaderData {
  readonly threads: number
  readonly script?: URL
}

export function createTraceReaders({ threads, script = defaultScript, ...workerData }: TraceReadersOptions): TraceReaders {
  const pool: WorkerPool<PackedValues, ReadValues> = createWorkerPool({ script, size: threads, workerData })
  // Making megabytes for every batch costs more than filling them, and has the collector run for each few.
  const spares: ArrayBuffer[] = []
  const run = async (values: readonly Uint8Array[]): Promise<readonly RecordReading[]> => {
    const packed = packValues(values, spares.pop())
    const { readings, buffer } = await pool.run(packed, [packed.buffer])
    if (spares.length < mostSpares) spares.push(buffer)
    return unflattenReadings(readings)
  }
  return createIsolatingReaders({
    ...{ pool, run },
    failed: (value, error) => [failedReading(value, error)],
    join: halves => halves.flat(),
  })
}

function failedReading(value: Uint8Array, error: unknown): RecordReading {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { ok: false, reason: 'exception', message, projectId: projectOf(value) }
}

function projectOf(value: Uint8Array): string | null {
  try {
    return (isEntity(value) ? decodeEntity(value) : decodeSpanBatch(value)).projectId
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

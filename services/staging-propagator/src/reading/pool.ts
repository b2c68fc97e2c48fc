// The event loop's side of the reading thread: what a batch of records costs to decompress and walk would stop heartbeats and requests.
import { createWorkerPool, type WorkerPool } from '@svc-server/stream'
import { type PackedValues, packValues, type ReaderData, type ReadValues, type RecordReading, unflattenReadings } from './messages.ts'

export interface TraceReaders {
  /** One reading per value, in order. Rejects when the thread died twice. */
  read(values: readonly Uint8Array[]): Promise<readonly RecordReading[]>
  stop(): Promise<void>
}

const script = new URL('./worker.ts', import.meta.url)
/** One being filled while one is read. */
const mostSpares = 2

export function createTraceReaders({ threads, ...workerData }: ReaderData & { readonly threads: number }): TraceReaders {
  const pool: WorkerPool<PackedValues, ReadValues> = createWorkerPool({ script, size: threads, workerData })
  // Making megabytes for every batch costs more than filling them, and has the collector run for each few.
  const spares: ArrayBuffer[] = []
  const run = async (values: readonly Uint8Array[]) => {
    const packed = packValues(values, spares.pop())
    const { readings, buffer } = await pool.run(packed, [packed.buffer])
    if (spares.length < mostSpares) spares.push(buffer)
    return unflattenReadings(readings)
  }
  return {
    // A thread that dies is replaced, and asked once more; dying twice on the same records is a bug.
    read: values => run(values).catch(() => run(values)),
    stop: () => pool.stop(),
  }
}

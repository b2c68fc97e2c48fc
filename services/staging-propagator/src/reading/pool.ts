// The event loop's side of the reading thread: what a batch of records costs to decompress and walk would stop heartbeats and requests.
import { createWorkerPool, type WorkerPool } from '@svc-server/stream'
import { type PackedValues, packValues, type ReaderData, type RecordReading } from './messages.ts'

export interface TraceReaders {
  /** One reading per value, in order. Rejects when the thread died twice. */
  read(values: readonly Uint8Array[]): Promise<readonly RecordReading[]>
  stop(): Promise<void>
}

const script = new URL('./worker.ts', import.meta.url)

export function createTraceReaders({ threads, ...workerData }: ReaderData & { readonly threads: number }): TraceReaders {
  const pool: WorkerPool<PackedValues, readonly RecordReading[]> = createWorkerPool({ script, size: threads, workerData })
  const run = (values: readonly Uint8Array[]) => {
    const packed = packValues(values)
    return pool.run(packed, [packed.bytes.buffer])
  }
  return {
    // A thread that dies is replaced, and asked once more; dying twice on the same records is a bug.
    read: values => run(values).catch(() => run(values)),
    stop: () => pool.stop(),
  }
}

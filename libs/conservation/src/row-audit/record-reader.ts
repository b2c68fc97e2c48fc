// The main thread's side of the audit's worker. It opens one record at a time, which bounds memory to one record.
import { createWorkerPool, type ThreadSource } from '@svc-server/fairness/worker-pool'
import type { RecordRows } from './record-rows.ts'

export interface ReadRequest {
  readonly topic: string
  readonly value: Uint8Array<ArrayBuffer>
  readonly timestampMs: number
}

export interface RecordReader {
  /** Rejects when the thread ends. The next call starts another thread. */
  read(topic: string, value: Uint8Array, timestampMs: number): Promise<RecordRows>
  stop(): Promise<void>
}

interface RecordReaderOptions {
  readonly maxRecordBytes: number
  /** Absent means the reader's own threads. */
  readonly threads?: ThreadSource | undefined
}

export function createRecordReader({ maxRecordBytes, threads }: RecordReaderOptions): RecordReader {
  const pool = createWorkerPool<ReadRequest, RecordRows>({
    script: new URL('./reader-thread.ts', import.meta.url),
    size: 1,
    workerData: { maxRecordBytes },
    threads,
  })
  return {
    read(topic, value, timestampMs) {
      // Copied, because the record may be a view of a whole fetch, which the transfer would include.
      const copy = new Uint8Array(value)
      return pool.run({ topic, value: copy, timestampMs }, [copy.buffer])
    },
    stop: () => pool.stop(),
  }
}

// The main thread's side of the audit's thread: one record at a time, so that its memory is that of one
// record.
import { createWorkerPool, type ThreadSource } from '@svc-server/fairness/worker-pool'
import type { RecordRows } from './record-rows.ts'

export interface ReadRequest {
  readonly topic: string
  readonly value: Uint8Array<ArrayBuffer>
  readonly timestampMs: number
}

export interface RecordReader {
  /** Rejects when the thread ends; the next call starts another. */
  read(topic: string, value: Uint8Array, timestampMs: number): Promise<RecordRows>
  stop(): Promise<void>
}

interface RecordReaderOptions {
  readonly maxRecordBytes: number
  /** Absent: its own. */
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
      // A copy: the record may be a view of a whole fetch, which would go along.
      const copy = new Uint8Array(value)
      return pool.run({ topic, value: copy, timestampMs }, [copy.buffer])
    },
    stop: () => pool.stop(),
  }
}

// Passes records to the audit's thread one at a time, so that only one is in memory.
import { createWorkerPool, type ThreadSource } from '@svc-server/fairness/worker-pool'
import type { RecordRows } from './record-rows.ts'

export interface ReadRequest {
  readonly topic: string
  readonly value: Uint8Array<ArrayBuffer>
  readonly timestampMs: number
}

export interface RecordReader {
  /** Rejects if the thread ends during the call. The next call then starts a new thread. */
  read(topic: string, value: Uint8Array, timestampMs: number): Promise<RecordRows>
  stop(): Promise<void>
}

interface RecordReaderOptions {
  readonly maxRecordBytes: number
  /** If absent, the reader creates its own threads. */
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
      // The record can be a view of the buffer of a whole fetch. The record is copied first, because a transfer would move this buffer with
      // all other records of the fetch.
      const copy = new Uint8Array(value)
      return pool.run({ topic, value: copy, timestampMs }, [copy.buffer])
    },
    stop: () => pool.stop(),
  }
}

// Passes records to the audit's thread one at a time, so that only one is in memory.
import { createWorkerPool, type ThreadSource } from '@svc-server/fairness/worker-pool'
import type { RecordRows } from './record-rows.ts'

export interface ReadRequest {
  readonly topic: string
  readonly value: Uint8Array<ArrayBuffer>
  readonly timestampMs: number
}

export interface RecordReader {
  /** Rejects when the thread ends; the next call starts a new one. */
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
      // The record can be a view of the buffer of a whole fetch. A transfer would move this buffer, so the record is copied first.
      const copy = new Uint8Array(value)
      return pool.run({ topic, value: copy, timestampMs }, [copy.buffer])
    },
    stop: () => pool.stop(),
  }
}

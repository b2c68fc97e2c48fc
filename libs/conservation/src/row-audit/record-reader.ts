// The main thread's side of the audit's thread: one record at a time, so that its memory is that of one record.
import { Worker } from 'node:worker_threads'
import type { RecordRows } from './record-rows.ts'

export interface ReadRequest {
  readonly id: number
  readonly value: Uint8Array<ArrayBuffer>
  readonly timestampMs: number
}

export interface ReadAnswer {
  readonly id: number
  readonly rows: RecordRows
}

export interface RecordReader {
  /** Rejects when the thread ends; the next call starts another. */
  read(value: Uint8Array, timestampMs: number): Promise<RecordRows>
  stop(): Promise<void>
}

interface Pending {
  readonly resolve: (rows: RecordRows) => void
  readonly reject: (error: unknown) => void
}

export function createRecordReader({ maxRecordBytes }: { readonly maxRecordBytes: number }): RecordReader {
  const pending = new Map<number, Pending>()
  let worker: Worker | null = null
  let nextId = 0

  function startWorker(): Worker {
    const started = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData: { maxRecordBytes } })
    started.on('message', ({ id, rows }: ReadAnswer) => {
      pending.get(id)?.resolve(rows)
      pending.delete(id)
      // An idle thread keeps no process alive.
      if (pending.size === 0) started.unref()
    })
    const lost = (cause: unknown) => {
      if (worker === started) worker = null
      for (const { reject } of pending.values()) reject(cause)
      pending.clear()
    }
    started.on('error', lost)
    started.on('exit', code => lost(new Error(`The thread of the audit ended with code ${code}`)))
    return started
  }

  return {
    read(value, timestampMs) {
      worker ??= startWorker()
      const current = worker
      current.ref()
      // A copy: the record may be a view of a whole fetch, which would go along.
      const copy = new Uint8Array(value)
      return new Promise((resolve, reject) => {
        const id = nextId++
        pending.set(id, { resolve, reject })
        current.postMessage({ id, value: copy, timestampMs } satisfies ReadRequest, [copy.buffer])
      })
    },
    async stop() {
      await worker?.terminate()
    },
  }
}

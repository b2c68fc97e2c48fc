// The event loop's side of the thread that reads spans for the merger.

import { AppError, isAppError } from '@svc-server/errors'
import type { LogRecord, NewRecord } from '@svc-server/log'
import { createWorkerPool, type WorkerPool } from '@svc-server/stream/worker-pool'
import { packValues } from '../../reading/messages.ts'
import type { PartsReaderData, ReadParts, SpanRecords } from './messages.ts'

interface PartsOfSpans {
  /** For trace.parts. */
  readonly parts: readonly NewRecord[]
  readonly spans: number
  /** Records that could not be read. */
  readonly unreadable: number
}

export interface PartsReaders {
  /** A record on which the thread dies counts as one that cannot be read. */
  read(records: readonly LogRecord[]): Promise<PartsOfSpans>
  stop(): Promise<void>
}

export interface PartsReadersOptions extends PartsReaderData {
  readonly threads: number
}

const script = new URL('./worker.ts', import.meta.url)

export function createPartsReaders({ threads, ...workerData }: PartsReadersOptions): PartsReaders {
  const pool: WorkerPool<SpanRecords, ReadParts> = createWorkerPool({ script, size: threads, workerData })
  let spare: ArrayBuffer | undefined
  let stopped = false

  async function run(records: readonly LogRecord[]): Promise<PartsOfSpans> {
    if (stopped) throw new AppError('draining', 'The reading threads are stopped.')
    const packed = packValues(
      records.map(({ value }) => value ?? new Uint8Array(0)),
      spare,
    )
    spare = undefined
    const provenances = records.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`)
    const { keys, values, spans, unreadable, buffer } = await pool.run({ ...packed, provenances }, [packed.buffer])
    spare = buffer
    return { parts: keys.map((key, at) => ({ key: Buffer.from(key), value: values[at]! })), spans, unreadable }
  }

  /** A defect that one body sets off must not stop the bodies of others. */
  async function isolate(records: readonly LogRecord[], error: unknown): Promise<PartsOfSpans> {
    if (stopped || isAppError(error)) throw error
    if (records.length === 1) return { parts: [], spans: 0, unreadable: 1 }
    const middle = records.length >> 1
    const halves = [records.slice(0, middle), records.slice(middle)]
    const read: PartsOfSpans[] = []
    for (const half of halves) read.push(await run(half).catch((reason: unknown) => isolate(half, reason)))
    return {
      parts: read.flatMap(({ parts }) => parts),
      spans: read.reduce((sum, { spans }) => sum + spans, 0),
      unreadable: read.reduce((sum, { unreadable }) => sum + unreadable, 0),
    }
  }

  return {
    // A thread that dies is replaced, and asked once more.
    read: records => run(records).catch(() => run(records).catch((error: unknown) => isolate(records, error))),
    async stop() {
      stopped = true
      await pool.stop()
    },
  }
}

// Sends records of spans from the event loop to the thread that reads their attributes, and returns the resulting parts.

import { createWorkerPool, type ThreadSource, type WorkerPool } from '@svc-server/fairness/worker-pool'
import type { LogRecord, NewRecord } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createIsolatingReaders, type IsolatingReaders } from '@svc-server/owner/isolating'
import { packValues } from '@svc-server/owner/packed-values'
import type { PartsReaderData, ReadParts, SpanRecords } from './messages.ts'

/** A record of spans that the merger needs, with its write mode. */
export interface ServedSpans {
  readonly record: LogRecord
  readonly writeMode: WriteMode
}

export interface PartsOfSpans {
  /** Records for trace.parts. */
  readonly parts: readonly NewRecord[]
  readonly spans: number
  /** Number of unreadable records. */
  readonly unreadable: number
  /** Number of values that were too large for any part. */
  readonly cut: number
}

/** A record on which the thread dies is treated as unreadable. */
export type PartsReaders = IsolatingReaders<ServedSpans, PartsOfSpans>

export interface PartsReadersOptions extends PartsReaderData {
  readonly threads: number
  /** If absent, the pool creates its own threads. */
  readonly source?: ThreadSource | undefined
}

const script = new URL('./worker.ts', import.meta.url)

export function createPartsReaders({ threads, source, ...workerData }: PartsReadersOptions): PartsReaders {
  const pool: WorkerPool<SpanRecords, ReadParts> = createWorkerPool({ script, size: threads, workerData, threads: source })
  let spare: SharedArrayBuffer | undefined

  async function run(served: readonly ServedSpans[]): Promise<PartsOfSpans> {
    const packed = packValues(
      served.map(({ record: { value } }) => value ?? new Uint8Array(0)),
      spare,
    )
    spare = undefined
    const provenances = served.map(({ record: { topic, partition, offset } }) => `${topic}/${partition}/${offset}`)
    const modes = served.map(({ writeMode }) => writeMode)
    const { keys, values, ...counts } = await pool.run({ ...packed, provenances, modes }, [])
    // A buffer of a dead thread is not reused, because the thread can still access it.
    spare = packed.buffer
    return { parts: keys.map((key, at) => ({ key: Buffer.from(key), value: values[at]! })), ...counts }
  }

  return createIsolatingReaders({
    ...{ pool, run },
    failed: () => ({ parts: [], spans: 0, unreadable: 1, cut: 0 }),
    join: halves => ({
      parts: halves.flatMap(({ parts }) => parts),
      spans: halves.reduce((sum, { spans }) => sum + spans, 0),
      unreadable: halves.reduce((sum, { unreadable }) => sum + unreadable, 0),
      cut: halves.reduce((sum, { cut }) => sum + cut, 0),
    }),
  })
}

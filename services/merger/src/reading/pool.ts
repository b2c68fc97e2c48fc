// Sends records of spans to the thread that reads their trace attributes.

import { createWorkerPool, type ThreadSource, type WorkerPool } from '@svc-server/fairness/worker-pool'
import type { LogRecord, NewRecord } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createIsolatingReaders, type IsolatingReaders } from '@svc-server/owner/isolating'
import { packValues } from '@svc-server/owner/packed-values'
import type { PartsReaderData, ReadParts, SpanRecords } from './messages.ts'

export interface ServedSpans {
  readonly record: LogRecord
  readonly writeMode: WriteMode
}

export interface PartsOfSpans {
  readonly parts: readonly NewRecord[]
  readonly spans: number
  readonly unreadable: number
  /** Number of trace attributes that `parts` does not contain, because they were too large. */
  readonly cut: number
}

/** If the thread dies on a record, the merger treats the record as unreadable. */
export type PartsReaders = IsolatingReaders<ServedSpans, PartsOfSpans>

export interface PartsReadersOptions extends PartsReaderData {
  readonly threads: number
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
    // The buffer is used again only if its thread has responded. If the thread failed without a response, the thread may still access the
    // buffer.
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

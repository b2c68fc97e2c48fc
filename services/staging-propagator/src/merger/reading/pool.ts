// The event loop's side of the thread that reads spans for the merger.

import type { LogRecord, NewRecord } from '@svc-server/log'
import { createWorkerPool, type WorkerPool } from '@svc-server/stream/worker-pool'
import { createIsolatingReaders, type IsolatingReaders } from '../../reading/isolating.ts'
import { packValues } from '../../reading/messages.ts'
import type { PartsReaderData, ReadParts, SpanRecords } from './messages.ts'

interface PartsOfSpans {
  /** For trace.parts. */
  readonly parts: readonly NewRecord[]
  readonly spans: number
  /** Records that could not be read. */
  readonly unreadable: number
}

/** A record on which the thread dies counts as one that cannot be read. */
export type PartsReaders = IsolatingReaders<LogRecord, PartsOfSpans>

export interface PartsReadersOptions extends PartsReaderData {
  readonly threads: number
}

const script = new URL('./worker.ts', import.meta.url)

export function createPartsReaders({ threads, ...workerData }: PartsReadersOptions): PartsReaders {
  const pool: WorkerPool<SpanRecords, ReadParts> = createWorkerPool({ script, size: threads, workerData })
  let spare: ArrayBuffer | undefined

  async function run(records: readonly LogRecord[]): Promise<PartsOfSpans> {
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

  return createIsolatingReaders({
    ...{ pool, run },
    failed: () => ({ parts: [], spans: 0, unreadable: 1 }),
    join: halves => ({
      parts: halves.flatMap(({ parts }) => parts),
      spans: halves.reduce((sum, { spans }) => sum + spans, 0),
      unreadable: halves.reduce((sum, { unreadable }) => sum + unreadable, 0),
    }),
  })
}

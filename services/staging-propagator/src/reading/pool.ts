// Reads spans on another thread. On the event loop, reading would delay heartbeats and requests.

import { createWorkerPool, type ThreadSource, type WorkerPool } from '@svc-server/fairness/worker-pool'
import { createIsolatingReaders, type IsolatingReaders } from '@svc-server/owner/isolating'
import { type PackedValues, packValues } from '@svc-server/owner/packed-values'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { decodeStagedRunItem, isStagedRunItem } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import {
  type FlatReadings,
  type Question,
  type ReaderData,
  type RecordReading,
  type SpanLink,
  unflattenLinks,
  unflattenReadings,
} from './messages.ts'

/**
 * Returns one result per value, in the order of the values. If the thread dies while it reads a value, the result of this value is
 * `exception`.
 */
export interface TraceReaders extends IsolatingReaders<Uint8Array, readonly RecordReading[]> {
  /**
   * Returns one list of links per value, in the order of the values. If the thread dies while it reads a value, the list for this value is
   * empty.
   */
  links(values: readonly Uint8Array[]): Promise<readonly (readonly SpanLink[])[]>
}

const defaultScript = new URL('./worker.ts', import.meta.url)
/** Maximum number of buffers that are kept for reuse. The main thread fills one buffer while a worker thread reads another buffer. */
const mostSpares = 2

export interface TraceReadersOptions extends ReaderData {
  readonly threads: number
  readonly script?: URL
  /** If absent, the pool creates its own threads. */
  readonly source?: ThreadSource | undefined
}

export function createTraceReaders({ threads, script = defaultScript, source, ...workerData }: TraceReadersOptions): TraceReaders {
  const pool: WorkerPool<{ readonly question: Question; readonly packed: PackedValues }, FlatReadings> = createWorkerPool({
    script,
    size: threads,
    workerData,
    threads: source,
  })
  // Buffers are used again, because allocating megabytes for each batch would take longer than filling them.
  const spares: SharedArrayBuffer[] = []
  const ask = async (question: Question, values: readonly Uint8Array[]): Promise<FlatReadings> => {
    const packed = packValues(values, spares.pop())
    const readings = await pool.run({ question, packed }, [])
    // A buffer whose thread died is not used again, because the thread may still access it.
    if (spares.length < mostSpares) spares.push(packed.buffer)
    return readings
  }
  const readers = createIsolatingReaders<Uint8Array, readonly RecordReading[]>({
    pool,
    run: async values => unflattenReadings(await ask('trace', values)),
    failed: (value, error) => [failedReading(value, error)],
    join: halves => halves.flat(),
  })
  const linkReaders = createIsolatingReaders<Uint8Array, readonly (readonly SpanLink[])[]>({
    pool,
    run: async values => unflattenLinks(await ask('links', values)),
    failed: () => [[]],
    join: halves => halves.flat(),
  })
  return {
    read: readers.read,
    links: linkReaders.read,
    async stop() {
      await linkReaders.stop()
      await readers.stop()
    },
  }
}

function failedReading(value: Uint8Array, error: unknown): RecordReading {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { ok: false, reason: 'exception', message, projectId: projectOf(value) }
}

function projectOf(value: Uint8Array): string | null {
  try {
    if (isEntity(value)) return decodeEntity(value).projectId
    return (isStagedRunItem(value) ? decodeStagedRunItem(value) : decodeSpanBatch(value)).projectId
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

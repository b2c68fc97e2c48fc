// The event loop's side of the reading thread: what a batch of records costs to decompress and walk would
// stop heartbeats and requests.
import { AppError, isAppError } from '@svc-server/errors'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { createWorkerPool, type WorkerPool } from '@svc-server/stream/worker-pool'
import { type PackedValues, packValues, type ReaderData, type ReadValues, type RecordReading, unflattenReadings } from './messages.ts'

export interface TraceReaders {
  /**
   * One reading per value, in order. A value on which the thread dies is a reading of its own: `exception`.
   */
  read(values: readonly Uint8Array[]): Promise<readonly RecordReading[]>
  stop(): Promise<void>
}

const defaultScript = new URL('./worker.ts', import.meta.url)
/** One being filled while one is read. */
const mostSpares = 2

export interface TraceReadersOptions extends ReaderData {
  readonly threads: number
  readonly script?: URL
}

export function createTraceReaders({ threads, script = defaultScript, ...workerData }: TraceReadersOptions): TraceReaders {
  const pool: WorkerPool<PackedValues, ReadValues> = createWorkerPool({ script, size: threads, workerData })
  // Making megabytes for every batch costs more than filling them, and has the collector run for each few.
  const spares: ArrayBuffer[] = []
  let stopped = false
  const run = async (values: readonly Uint8Array[]): Promise<readonly RecordReading[]> => {
    if (stopped) throw new AppError('draining', 'the reading threads are stopped')
    const packed = packValues(values, spares.pop())
    const { readings, buffer } = await pool.run(packed, [packed.buffer])
    if (spares.length < mostSpares) spares.push(buffer)
    return unflattenReadings(readings)
  }
  /**
   * A defect that one body sets off must not stop the bodies of others: the values with it are found by
   * halving.
   */
  const isolate = async (values: readonly Uint8Array[], error: unknown): Promise<readonly RecordReading[]> => {
    if (stopped || isAppError(error)) throw error
    if (values.length === 1) return [failedReading(values[0]!, error)]
    const middle = values.length >> 1
    const halves: RecordReading[] = []
    for (const half of [values.slice(0, middle), values.slice(middle)]) {
      for (const reading of await run(half).catch((reason: unknown) => isolate(half, reason))) halves.push(reading)
    }
    return halves
  }
  return {
    // A thread that dies is replaced, and asked once more.
    read: values => run(values).catch(() => run(values).catch((error: unknown) => isolate(values, error))),
    async stop() {
      stopped = true
      await pool.stop()
    },
  }
}

function failedReading(value: Uint8Array, error: unknown): RecordReading {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { ok: false, reason: 'exception', message, projectId: projectOf(value) }
}

function projectOf(value: Uint8Array): string | null {
  try {
    return decodeSpanBatch(value).projectId
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

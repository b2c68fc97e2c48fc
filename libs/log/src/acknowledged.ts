// Waits until an append is durable, so that the gateway returns 200 only then. The client must repeat the request unless the log
// acknowledges every record (architecture §2.1).
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog, NewRecord, RecordPosition } from './port.ts'

interface AppendOptions {
  readonly log: Pick<EventLog, 'append'>
  /** An append that takes longer fails with `log_unavailable`, but its records can still become durable (F04). */
  readonly ackTimeoutMs: number
}

/**
 * Thrown when the log fails with an error that is not an AppError. A broken log affects every request, because all requests share the log.
 */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog'
}

const asBroken = (error: unknown): unknown =>
  isAppError(error) ? error : new BrokenLog('The event log failed because of a defect.', { cause: error })

interface Appended {
  /**
   * Resolves with the positions of the records once they are durable. Rejects with the log's AppError, with BrokenLog, or, after the
   * timeout, with `log_unavailable`.
   */
  readonly acknowledged: Promise<readonly RecordPosition[]>
  /**
   * Resolves when the log no longer holds the append's records in memory, whether the append succeeded or failed. The records' bytes count
   * as in flight until this promise resolves (F02).
   */
  readonly settled: Promise<void>
}

export type Append = (topic: string, records: readonly NewRecord[]) => Appended

export function createAppend({ log, ackTimeoutMs }: AppendOptions): Append {
  return function append(topic: string, records: readonly NewRecord[]): Appended {
    // The async function is needed because it turns a synchronous error of `append` into a rejection.
    const appended = (async () => log.append(topic, records))()
    const settled = appended.then(
      () => {},
      () => {},
    )
    const acknowledged = new Promise<readonly RecordPosition[]>((resolve, reject) => {
      const late = () => reject(new AppError('log_unavailable', `The event log did not acknowledge within ${ackTimeoutMs} ms.`))
      const timer = setTimeout(late, ackTimeoutMs)
      appended.then(resolve, error => reject(asBroken(error))).finally(() => clearTimeout(timer))
    })
    return { acknowledged, settled }
  }
}

// Waits until an append is durable; only then does the gateway return 200. Without an acknowledgement, the client must repeat the request
// (architecture §2.1).
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog, NewRecord, RecordPosition } from './port.ts'

interface AppendOptions {
  readonly log: Pick<EventLog, 'append'>
  /** An append that takes longer fails with `log_unavailable`, but its records can still become durable (F04). */
  readonly ackTimeoutMs: number
}

/** The log failed with an error that is not an AppError. Every request is affected, because all share the log. */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog'
}

const asBroken = (error: unknown): unknown =>
  isAppError(error) ? error : new BrokenLog('The event log failed because of a defect.', { cause: error })

interface Appended {
  /** Rejects with the log's AppError, or with BrokenLog for any other error. After `ackTimeoutMs`, rejects with `log_unavailable`. */
  readonly acknowledged: Promise<readonly RecordPosition[]>
  /**
   * Resolves when the log no longer holds the records in memory, even if the append failed. Until then, the records' bytes count as in
   * flight (F02).
   */
  readonly settled: Promise<void>
}

export type Append = (topic: string, records: readonly NewRecord[]) => Appended

export function createAppend({ log, ackTimeoutMs }: AppendOptions): Append {
  return function append(topic: string, records: readonly NewRecord[]): Appended {
    // Turns a synchronous error of `append` into a rejection.
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

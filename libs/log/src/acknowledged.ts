// The last step before a 200: the log has acknowledged every record, or the client is told to send again
// (architecture §2.1).
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog, NewRecord, RecordPosition } from './port.ts'

interface AppendOptions {
  readonly log: Pick<EventLog, 'append'>
  /**
   * An append that takes longer is answered with `log_unavailable`, though its records may still become
   * durable (F04).
   */
  readonly ackTimeoutMs: number
}

/**
 * Something was thrown in the log that is no AppError. All requests share it, so what it left behind concerns
 * all of them.
 */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog'
}

const asBroken = (error: unknown): unknown =>
  isAppError(error) ? error : new BrokenLog('The event log failed by a defect.', { cause: error })

interface Appended {
  /**
   * Resolves with where the records are when they are durable; rejects with the log's AppError, BrokenLog, or
   * `log_unavailable` after the timeout.
   */
  readonly acknowledged: Promise<readonly RecordPosition[]>
  /**
   * Resolves when the log no longer holds the records, however it ended. Until then their bytes are in flight
   * (F02).
   */
  readonly settled: Promise<void>
}

export type Append = (topic: string, records: readonly NewRecord[]) => Appended

export function createAppend({ log, ackTimeoutMs }: AppendOptions): Append {
  return function append(topic: string, records: readonly NewRecord[]): Appended {
    // Also what is thrown before there is a promise.
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

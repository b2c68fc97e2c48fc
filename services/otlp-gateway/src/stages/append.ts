// The last step before a 200: the log has acknowledged every record, or the client is told to send again (architecture §2.1).
import { AppError } from '@svc-server/errors'
import type { EventLog, NewRecord } from '@svc-server/log'

export interface AppendOptions {
  readonly log: Pick<EventLog, 'append'>
  /** An append that takes longer is answered with `log_unavailable`, though its records may still become durable (F04). */
  readonly ackTimeoutMs: number
}

export interface Append {
  /** Resolves when the records are durable; rejects with the log's AppError, or `log_unavailable` after the timeout. */
  readonly acknowledged: Promise<void>
  /** Resolves when the log no longer holds the records, however it ended. Until then their bytes are in flight (F02). */
  readonly settled: Promise<void>
}

export function createAppendStage({ log, ackTimeoutMs }: AppendOptions) {
  return function append(topic: string, records: readonly NewRecord[]): Append {
    const appended = log.append(topic, records)
    const settled = appended.then(
      () => {},
      () => {},
    )
    const acknowledged = new Promise<void>((resolve, reject) => {
      const late = () => reject(new AppError('log_unavailable', `The event log did not acknowledge within ${ackTimeoutMs} ms.`))
      const timer = setTimeout(late, ackTimeoutMs)
      appended.then(() => resolve(), reject).finally(() => clearTimeout(timer))
    })
    return { acknowledged, settled }
  }
}

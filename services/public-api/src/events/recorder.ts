// Appends the records of a request to the log. The API responds only when all records are durable.

import { ClientGone, type Lease } from '@svc-server/http/bodies'
import type { NewRecord } from '@svc-server/log'
import type { Append } from '@svc-server/log/acknowledged'
import { encodeScoreEvent, type ScoreEvent, scoreKey } from '@svc-server/schema/score-event'

/** The memory that a request has reserved. The reserved memory grows while the API creates records from the body. */
export interface Held {
  readonly lease: Lease
  /** True once the client has disconnected. */
  readonly gone: () => boolean
  /** The memory stays reserved until `settled` has resolved or rejected. */
  holdUntil(settled: Promise<void>): void
}

export interface Recorder {
  /**
   * The promise resolves when all records are durable. Throws the error of the log. Some records can be durable although the
   * promise rejects; the client retries with the same ids.
   */
  record(held: Held, records: Readonly<Record<string, readonly NewRecord[]>>): Promise<void>
}

export interface RecorderOptions {
  readonly append: Append
  /** Maximum bytes that one project is allowed to reserve. */
  readonly maxShareBytes: number
  readonly observeSeconds: (seconds: number) => void
}

export const scoreRecord = (event: ScoreEvent): NewRecord => ({ key: Buffer.from(scoreKey(event)), value: encodeScoreEvent(event) })

const bytesOf = ({ key, value }: NewRecord) => (key?.length ?? 0) + (value?.length ?? 0)

export function createRecorder({ append, maxShareBytes, observeSeconds }: RecorderOptions): Recorder {
  return {
    async record({ gone, lease, holdUntil }, records) {
      const topics = Object.entries(records).filter(([, list]) => list.length > 0)
      if (topics.length === 0) return
      // A disconnected client usually sends the same request again. Writing the records of a disconnected client twice would increase an
      // overload (F40).
      if (gone()) throw new ClientGone('The client disconnected before its records were written.')
      const bytes = topics.flatMap(([, list]) => list).reduce((sum, record) => sum + bytesOf(record), 0)
      // A request that needs more memory than a project can reserve gets the whole share of the project. A refusal would not help, because
      // every retry would be refused, too.
      lease.resize(Math.min(bytes, maxShareBytes))
      const startedMs = performance.now()
      const appends = topics.map(([topic, list]) => append(topic, list))
      holdUntil(Promise.all(appends.map(({ settled }) => settled)).then(() => {}))
      await Promise.all(appends.map(({ acknowledged }) => acknowledged))
      observeSeconds((performance.now() - startedMs) / 1000)
    },
  }
}

import { ClientGone, type Lease } from '@svc-server/http/bodies'
import type { NewRecord } from '@svc-server/log'
import type { Append } from '@svc-server/log/acknowledged'
import { encodeScoreEvent, type ScoreEvent, scoreKey } from '@svc-server/schema/score-event'

export interface Held {
  readonly lease: Lease
  readonly gone: () => boolean
  holdUntil(settled: Promise<void>): void
}

export interface Recorder {
  /**
   * Resolves when all records are durable. If the promise rejects, some records can be durable nevertheless. The client then retries with
   * the same ids.
   */
  record(held: Held, records: Readonly<Record<string, readonly NewRecord[]>>): Promise<void>
}

export interface RecorderOptions {
  readonly append: Append
  /** Maximum memory of one project. */
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
      // If the client has disconnected, nothing is written, because the client usually sends the request again. Writing the same records
      // twice would increase an overload (F40).
      if (gone()) throw new ClientGone('The client disconnected before its records were written.')
      const bytes = topics.flatMap(([, list]) => list).reduce((sum, record) => sum + bytesOf(record), 0)
      // A request that needs more than its project's share gets the whole share. Otherwise, the request and all retries would be refused.
      lease.resize(Math.min(bytes, maxShareBytes))
      const startedMs = performance.now()
      const appends = topics.map(([topic, list]) => append(topic, list))
      holdUntil(Promise.all(appends.map(({ settled }) => settled)).then(() => {}))
      await Promise.all(appends.map(({ acknowledged }) => acknowledged))
      observeSeconds((performance.now() - startedMs) / 1000)
    },
  }
}

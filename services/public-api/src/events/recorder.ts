// Appends the records of a request to the log. No response is sent before all of them are durable.

import { ClientGone, type Lease } from '@svc-server/http/bodies'
import type { NewRecord } from '@svc-server/log'
import type { Append } from '@svc-server/log/acknowledged'
import { encodeScoreEvent, type ScoreEvent, scoreKey } from '@svc-server/schema/score-event'

/** What a request holds of the memory for bodies; it grows with what is made of the body. */
export interface Held {
  readonly lease: Lease
  /** The client has left: nobody waits for the response. */
  readonly gone: () => boolean
  /** The memory is held until then, however the request ends. */
  holdUntil(settled: Promise<void>): void
}

export interface Recorder {
  /**
   * Resolves when everything is durable. Throws what the log answers; some of it may then be durable
   * nevertheless, and the client sends it again under the same ids.
   */
  record(held: Held, records: Readonly<Record<string, readonly NewRecord[]>>): Promise<void>
}

export interface RecorderOptions {
  readonly append: Append
  /** What one project may hold. */
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
      // Whoever has gone will send the same again; writing it twice under overload would feed the overload
      // (F40).
      if (gone()) throw new ClientGone('The client left before its records were written.')
      const bytes = topics.flatMap(([, list]) => list).reduce((sum, record) => sum + bytesOf(record), 0)
      // More than a share is taken whole: refusing it now would be refusing it for ever.
      lease.resize(Math.min(bytes, maxShareBytes))
      const startedMs = performance.now()
      const appends = topics.map(([topic, list]) => append(topic, list))
      holdUntil(Promise.all(appends.map(({ settled }) => settled)).then(() => {}))
      await Promise.all(appends.map(({ acknowledged }) => acknowledged))
      observeSeconds((performance.now() - startedMs) / 1000)
    },
  }
}

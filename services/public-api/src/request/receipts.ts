// Collects the positions of a request's records for `x-svc-ingest-id`, so that handlers do not have to return them.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RecordPosition } from '@svc-server/log'
import type { Append } from '@svc-server/log/acknowledged'
import type { IngestIds } from '@svc-server/stream/ingest-id'

interface WithHeaders {
  readonly headers?: Readonly<Record<string, string>>
}

export interface Receipts {
  readonly append: Append
  /** Calls `run`, and returns its reply. If `run` appended records, adds the header `x-svc-ingest-id` to the reply. */
  around<Reply extends WithHeaders>(owner: string, run: () => Promise<Reply> | Reply): Promise<Reply>
}

export function createReceipts(append: Append, ids: IngestIds): Receipts {
  const current = new AsyncLocalStorage<RecordPosition[]>()

  return {
    append(topic, records) {
      const positions = current.getStore()
      const appended = append(topic, records)
      if (positions === undefined) return appended
      const acknowledged = appended.acknowledged.then(own => {
        for (const position of own) positions.push(position)
        return own
      })
      return { ...appended, acknowledged }
    },
    async around(owner, run) {
      const positions: RecordPosition[] = []
      const reply = await current.run(positions, async () => run())
      const id = ids.seal(owner, positions)
      return id === undefined ? reply : { ...reply, headers: { ...reply.headers, 'x-svc-ingest-id': id } }
    },
  }
}

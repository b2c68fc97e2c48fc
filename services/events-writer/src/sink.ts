// What the runner calls for a chunk: encode it in the other thread, then bring it into the tables.
import type { ColumnStore } from '@svc-server/column-store'
import type { EventLog } from '@svc-server/log'
import type { EncodedChunk } from '@svc-server/observations'
import type { SpanBatch } from '@svc-server/schema'
import type { Chunk, Rejection, Sink } from '@svc-server/stream'
import type { Logger, Metrics } from '@svc-server/telemetry'
import type { EncoderHost } from './encode/host.ts'
import type { writerMetrics } from './metrics.ts'
import { createChunkStore } from './store/store-chunk.ts'

export interface SinkDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly encoder: EncoderHost
  readonly group: string
  readonly versions: Readonly<Record<string, string>>
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

export function createEventsSink({ log, columnStore, encoder, group, versions, logger, metrics }: SinkDeps): Sink<SpanBatch> {
  const store = createChunkStore({ columnStore, group, logger, metrics })

  return {
    versions,
    async prepare(chunk, { inDoubt, backoff }) {
      // A chunk comes back after a pause because the column store was down: see that it is up before the work is done again.
      if (inDoubt) await store.reachable(backoff)
      const encode = async (only?: ReadonlySet<number>) => {
        const startedAt = performance.now()
        const encoded = await encoder.encode(jobOf(chunk, only))
        metrics.encodeSeconds.observe((performance.now() - startedAt) / 1000)
        return encoded
      }
      const encoded = await encode()
      return {
        rejected: encoded.rejected.map(toRejection),
        async store() {
          await store.store({
            range: {
              topic: chunk.topic,
              partition: chunk.partition,
              first: chunk.first,
              last: chunk.last,
              timestampsMs: new Map(chunk.items.map(({ position }) => [position.offset, position.timestampMs])),
            },
            logId: log.logId(chunk.topic),
            projects: [...new Set(chunk.items.map(({ payload }) => payload.projectId))],
            encoded,
            encodeOnly: encode,
            inDoubt,
            backoff,
          })
          encoder.recycle(encoded)
        },
      }
    },
  }
}

const jobOf = ({ topic, partition, items }: Chunk<SpanBatch>, only: ReadonlySet<number> | undefined) => ({
  topic,
  partition,
  records: items.map(({ position, raw }) => ({ offset: position.offset, timestampMs: position.timestampMs, value: raw })),
  ...(only ? { only } : {}),
})

const toRejection = ({ offset, index, reason, message, raw, projectId }: EncodedChunk['rejected'][number]): Rejection => ({
  offset,
  index,
  stage: 'encode',
  reason,
  message,
  owner: projectId,
  raw,
})

// What the runner calls for a chunk: encode it in the other thread, then bring it into the tables.
import type { ColumnStore } from '@svc-server/column-store'
import type { Ledger } from '@svc-server/conservation'
import type { EventLog } from '@svc-server/log'
import type { EncodedChunk } from '@svc-server/observations'
import type { CatalogueSnapshot } from '@svc-server/observations/pricing'
import { rowTimeUs, type SpanBatch } from '@svc-server/schema'
import type { Chunk, Rejection, Sink } from '@svc-server/stream'
import type { Logger, Metrics } from '@svc-server/telemetry'
import type { EncoderHost } from './encode/host.ts'
import { ledgerEntryOf } from './ledger-entry.ts'
import type { writerMetrics } from './metrics.ts'
import { createChunkStore } from './store/store-chunk.ts'

export interface SinkDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly encoder: EncoderHost
  readonly ledger: Ledger
  readonly group: string
  readonly mappingVersion: string
  /** Absent: costs and ids are what clients say. */
  readonly catalogue?: (() => CatalogueSnapshot) | undefined
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

/** Of the intent, when nothing is looked up. */
const noCatalogue = '0'

export function createEventsSink(deps: SinkDeps): Sink<SpanBatch> {
  const { log, columnStore, encoder, ledger, group, mappingVersion, logger, metrics } = deps
  const store = createChunkStore({ columnStore, group, logger, metrics })
  // A chunk is made with what its intent names, also when a newer one has come since: the one before is kept for it.
  let newest: CatalogueSnapshot | undefined
  let before: CatalogueSnapshot | undefined

  function catalogue(): CatalogueSnapshot | undefined {
    const current = deps.catalogue?.()
    if (current?.version !== newest?.version) before = newest
    newest = current
    return newest
  }

  return {
    get versions() {
      return { mapping: mappingVersion, snapshot: catalogue()?.version ?? noCatalogue }
    },
    async prepare(chunk, { inDoubt, versions, backoff }) {
      const current = catalogue()
      const snapshot = before !== undefined && versions['snapshot'] === before.version ? before : current
      // A chunk comes back after a pause because the column store was down: see that it is up before the work is done again.
      if (inDoubt) await store.reachable(backoff)
      const encode = async (only?: ReadonlySet<number>) => {
        const startedAt = performance.now()
        const encoded = await encoder.encode({ ...jobOf(chunk, only), ...(snapshot ? { catalogue: snapshot } : {}) })
        metrics.encodeSeconds.observe((performance.now() - startedAt) / 1000)
        return encoded
      }
      const encoded = chunk.items.length > 0 ? await encode() : null
      const rejected = encoded?.rejected.map(toRejection) ?? []
      const all = [...chunk.rejected, ...rejected]
      const entry = ledgerEntryOf(chunk, encoded, all, versions)
      let again = inDoubt
      const writeLedger = async () => {
        const options = { again }
        again = true
        const startedAt = performance.now()
        await ledger.record(entry, options)
        metrics.ledgerSeconds.observe((performance.now() - startedAt) / 1000)
      }
      return {
        rejected: all,
        async store() {
          if (encoded === null) {
            await backoff.retry(writeLedger)
            return []
          }
          await store.store({
            range: {
              topic: chunk.topic,
              partition: chunk.partition,
              first: chunk.first,
              last: chunk.last,
              rowTimesUs: new Map(chunk.items.map(({ position, payload }) => [position.offset, rowTimeUs(payload, position.timestampMs)])),
            },
            logId: log.logId(chunk.topic),
            projects: [...new Set(chunk.items.map(({ payload }) => payload.projectId))],
            encoded,
            encodeOnly: encode,
            inDoubt,
            backoff,
          })
          await backoff.retry(writeLedger)
          countMapping(metrics, encoded)
          encoder.recycle(encoded)
          return []
        },
      }
    },
  }
}

/** What was clamped, cut or not known in rows that are stored. */
function countMapping({ mapping }: SinkDeps['metrics'], { losses, enrichment, repairedTexts }: EncodedChunk): void {
  for (const [outcome, count] of Object.entries({ ...losses, ...outcomesOf(enrichment), repaired_text: repairedTexts })) {
    if (count > 0) mapping.inc({ outcome }, count)
  }
}

const outcomesOf = ({ unknownModel, totalMismatch, costClamped, tokenised, tokenisationSkipped }: EncodedChunk['enrichment']) => ({
  unknown_model: unknownModel,
  usage_total_mismatch: totalMismatch,
  computed_cost_clamped: costClamped,
  tokenised,
  tokenisation_skipped: tokenisationSkipped,
})

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

// What the runner calls for a chunk: encode it in the other thread, then bring it into the tables.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ColumnStore } from '@svc-server/column-store'
import { type Ledger, type LedgerEntry, rowTimeOfRecord } from '@svc-server/conservation'
import type { EventLog } from '@svc-server/log'
import { type EncodedChunk, type RawSpan, type RejectedRow, type RowSelection, selectionOf } from '@svc-server/observations'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import { rowTimeUs, type SpanBatch } from '@svc-server/schema'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import type { Chunk, Pipeline, Rejection } from '@svc-server/stream'
import type { EncodeJob, EncoderHost } from './encode/host.ts'
import { ledgerEntryOf } from './ledger-entry.ts'
import type { writerMetrics } from './metrics.ts'
import { noteOf, rulesOfNote } from './store/pieces.ts'
import { createChunkStore } from './store/store-chunk.ts'
import { withoutStoredEarlier } from './store/stored-earlier.ts'

export interface PipelineDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly encoder: EncoderHost
  readonly ledger: Ledger
  readonly group: string
  /** Everything that decides what records become, by name and version; with the catalogue's it stands in every intent. */
  readonly rules: Readonly<Record<string, string>>
  /** Absent: costs and ids are what clients say. */
  readonly catalogue?: (() => CatalogueSnapshot) | undefined
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

/** Of the intent, when nothing is looked up. */
const noCatalogue = '0'
/** Behind the name of rules that are not, or not the only ones, by which the chunk was tried. */
const changedMark = '+'

export function createPipeline(deps: PipelineDeps): Pipeline<SpanBatch> {
  const { log, columnStore, encoder, ledger, group, rules, logger, metrics } = deps
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

  const versionsWith = (snapshot: CatalogueSnapshot | undefined) => ({ ...rules, snapshot: snapshot?.version ?? noCatalogue })

  return {
    get versions() {
      return versionsWith(catalogue())
    },
    async prepare(chunk, { inDoubt, versions: announced, note, annotate, backoff }) {
      const current = catalogue()
      const snapshot = before !== undefined && announced['snapshot'] === before.version ? before : current
      const versions = versionsWith(snapshot)
      const digest = digestOf(versions)
      const isSame = isDeepStrictEqual({ ...announced }, versions) && (note === '' || rulesOfNote(note) === digest)
      const beginning = !inDoubt ? 'new' : isSame ? 'in_doubt' : 'rules_changed'
      const rules = beginning === 'rules_changed' ? `${digest}${changedMark}` : digest
      // A chunk comes back after a pause because the column store was down: see that it is up before the work is done again.
      if (inDoubt) await store.reachable(backoff)
      const jobOf = createJobs(chunk, snapshot)
      const encode = async (only?: RowSelection, without?: readonly RejectedRow[]) => {
        const startedAt = performance.now()
        const encoded = await encoder.encode(jobOf(only, without))
        metrics.encodeSeconds.observe((performance.now() - startedAt) / 1000)
        return encoded
      }
      const encoded = chunk.items.length > 0 ? await encode() : null
      const found = [...chunk.rejected, ...(encoded?.rejected ?? []).map(toRejection)]
      const { topic, partition } = chunk
      const { rejected, kept } =
        beginning === 'rules_changed'
          ? await backoff.retry(() => withoutStoredEarlier({ columnStore, topic, partition, rowTimesUs: rowTimesOf(chunk) }, found))
          : { rejected: found, kept: 0 }

      let again = inDoubt
      const writeLedger = async (entry: LedgerEntry) => {
        const options = { again }
        again = true
        const startedAt = performance.now()
        await ledger.record(entry, options)
        metrics.ledgerSeconds.observe((performance.now() - startedAt) / 1000)
      }
      const bring = async (encoded: EncodedChunk): Promise<readonly Rejection[]> => {
        const refused = await store.store({
          range: { topic, partition, first: chunk.first, last: chunk.last },
          logId: log.logId(topic),
          encoded,
          places: () => encoder.places(jobOf(undefined, encoded.rejected)),
          encodeOnly: only => encode(only, encoded.rejected),
          beginning,
          rules,
          note,
          annotate,
          backoff,
        })
        return refused.length === 0 ? [] : (await encoder.raws(jobOf(selectionOf(refused), encoded.rejected))).map(toRefusal)
      }
      return {
        rejected,
        async store() {
          // Whoever comes next may have the intent's rules again: then it must know that others were at work in between.
          if (beginning === 'rules_changed' && rulesOfNote(note) !== rules) await annotate(noteOf(rules, new Set()))
          const refused = encoded === null ? [] : await bring(encoded)
          const stored = { rows: (encoded?.rows ?? 0) - refused.length + kept, hash: encoded?.hash ?? '' }
          const entry = ledgerEntryOf(chunk, stored, [...rejected, ...refused], versions)
          await backoff.retry(() => writeLedger(entry))
          if (encoded !== null) {
            countMapping(metrics, encoded)
            encoder.recycle(encoded)
          }
          return refused
        },
      }
    },
  }
}

/** Names versions in a token and in a note. */
const digestOf = (versions: Readonly<Record<string, string>>): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(versions).sort()))
    .digest('hex')
    .slice(0, 8)

function rowTimesOf({ items, rejected }: Chunk<SpanBatch>): ReadonlyMap<number, number> {
  const times = new Map(items.map(({ position, payload }) => [position.offset, rowTimeUs(payload, position.timestampMs)]))
  for (const { offset, raw, timestampMs } of rejected) if (timestampMs !== undefined) times.set(offset, rowTimeOfRecord(raw, timestampMs))
  return times
}

/** What was clamped, cut or not known in rows that are stored. */
function countMapping({ mapping }: PipelineDeps['metrics'], { losses, enrichment, repairedTexts }: EncodedChunk): void {
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

/** The whole chunk; of what is selected, only the records that have it. `without` are records that could not be encoded the first time. */
const createJobs =
  ({ topic, partition, items }: Chunk<SpanBatch>, catalogue: CatalogueSnapshot | undefined) =>
  (only: RowSelection | undefined, without: readonly RejectedRow[] = []): EncodeJob => {
    const bad = new Set(without.filter(({ index }) => index === null).map(({ offset }) => offset))
    const wanted = items.filter(({ position: { offset } }) => !bad.has(offset) && (only === undefined || only.has(offset)))
    const records = wanted.map(({ position, raw }) => ({ offset: position.offset, timestampMs: position.timestampMs, value: raw }))
    return { topic, partition, records, ...(only ? { only } : {}), ...(catalogue ? { catalogue } : {}) }
  }

const toRefusal = ({ offset, index, projectId, raw }: RawSpan): Rejection => ({
  offset,
  index,
  stage: 'store',
  reason: 'store_refused',
  message: 'The column store took other rows of the chunk, and refused this one alone.',
  owner: projectId,
  raw,
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

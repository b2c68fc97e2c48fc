// What became of a chunk, for the ledger: on one side what the envelopes said, on the other what was encoded and what was rejected.
import { type LedgerEntry, spansOfRecord } from '@svc-server/conservation'
import type { SpanBatch } from '@svc-server/schema'
import type { Chunk, Rejection } from '@svc-server/stream'

/** `rejected`: of all stages, the encoder's and the column store's too. `rows`: that are stored. */
export function ledgerEntryOf(
  chunk: Chunk<SpanBatch>,
  { rows, hash }: { readonly rows: number; readonly hash: string },
  rejected: readonly Rejection[],
  versions: Readonly<Record<string, string>>,
): LedgerEntry {
  const { topic, partition, first, last, items, dropped } = chunk
  return {
    topic,
    partition,
    first,
    last,
    records: items.length + chunk.rejected.length + dropped.length,
    spans: spansOf(items) + chunk.rejected.reduce((sum, { raw }) => sum + spansOfRecord(raw), 0),
    rows,
    deadLettered: deadLetteredSpans(rejected),
    denied: 0,
    bodyHash: hash,
    versions,
  }
}

const spansOf = (items: Chunk<SpanBatch>['items']): number => items.reduce((sum, { payload }) => sum + payload.spanCount, 0)

/** A record that is bad as a whole takes all of its spans with it. */
export const deadLetteredSpans = (rejected: readonly Rejection[]): number =>
  rejected.reduce((sum, { index, raw }) => sum + (index === null ? spansOfRecord(raw) : 1), 0)

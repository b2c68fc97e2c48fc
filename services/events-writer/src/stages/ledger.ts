// Writes the ledger row for a chunk and a destination. The ledger row counts an entity as stored when all of the entity's rows are stored.
import type { Ledger, LedgerEntry } from '@svc-server/conservation/ledger'
import type { Metrics } from '@svc-server/service/metrics'
import type { Chunk, Rejection } from '@svc-server/stream/chunk'
import type { EncoderHost } from '../encode/host.ts'
import type { Encoded } from '../encoded.ts'
import type { writerMetrics } from '../metrics.ts'
import { itemsOfRecord, type OpenRecord } from '../records.ts'

export interface LedgerStageDeps {
  readonly ledger: Ledger
  readonly encoder: Pick<EncoderHost, 'recycle'>
  readonly metrics: Metrics<typeof writerMetrics>
}

/** This is the last stage that needs the block, so it returns the block's memory. */
export function createLedgerStage({ ledger, encoder, metrics }: LedgerStageDeps) {
  return async function account(encoded: Encoded, refused: readonly Rejection[]): Promise<void> {
    const { delivery, block } = encoded
    const { table } = delivery.destination
    const entry = ledgerEntryOf(encoded, refused)
    let again = delivery.beginning !== 'new'
    await delivery.backoff.retry(async () => {
      const options = { again }
      again = true
      const startedAt = performance.now()
      await ledger.record(entry, options)
      metrics.ledgerSeconds.observe((performance.now() - startedAt) / 1000)
    })
    if (block === null) return
    if (block.denied > 0) metrics.deniedItems.inc({ table }, block.denied)
    for (const [outcome, count] of Object.entries(block.outcomes)) if (count > 0) metrics.mapping.inc({ outcome }, count)
    encoder.recycle(block)
  }
}

function ledgerEntryOf({ delivery, block, rejected, kept }: Encoded, refused: readonly Rejection[]): LedgerEntry {
  const { chunk, destination, versions } = delivery
  const { topic, partition, first, last, items, dropped } = chunk
  const denied = block?.denied ?? 0
  return {
    topic,
    partition,
    destination: destination.table,
    first,
    last,
    records: items.length + chunk.rejected.length + dropped.length,
    spans: itemsIn(chunk),
    rows: (block?.items ?? 0) - refused.length - denied + kept,
    deadLettered: deadLetteredItems(topic, [...rejected, ...refused]),
    denied,
    bodyHash: block?.hash ?? '',
    versions,
  }
}

/** Number of items according to the envelopes. */
const itemsIn = ({ topic, items, rejected }: Chunk<OpenRecord>): number =>
  items.reduce((sum, { payload }) => sum + payload.items, 0) + rejected.reduce((sum, { raw }) => sum + itemsOfRecord(topic, raw), 0)

/** Number of items that become dead letters. If a record was rejected as a whole (`index` is null), all of its items count. */
export const deadLetteredItems = (topic: string, rejected: readonly Rejection[]): number =>
  rejected.reduce((sum, { index, raw }) => sum + (index === null ? itemsOfRecord(topic, raw) : 1), 0)

// Rows that the current rules reject, but that an earlier attempt stored, do not become dead letters (F44).
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Chunk } from '@svc-server/stream/chunk'
import type { Encoded } from '../encoded.ts'
import { withoutStoredEarlier } from '../insert/stored-earlier.ts'
import { eventTsOfRecord, type OpenRecord } from '../records.ts'

export function createKeepStage({ columnStore }: { readonly columnStore: ColumnStore }) {
  return async function keep(encoded: Encoded): Promise<Encoded> {
    const { chunk, destination, beginning, backoff } = encoded.delivery
    if (beginning !== 'rules_changed') return encoded
    const deps = { columnStore, destination, topic: chunk.topic, partition: chunk.partition, rowTimesUs: rowTimesOf(chunk) }
    const { rejected, kept } = await backoff.retry(() => withoutStoredEarlier(deps, encoded.rejected))
    return { ...encoded, rejected, kept }
  }
}

function rowTimesOf({ topic, items, rejected }: Chunk<OpenRecord>): ReadonlyMap<number, number> {
  const times = new Map(items.map(({ position, payload }) => [position.offset, payload.eventTsUs]))
  for (const { offset, raw, timestampMs } of rejected) {
    if (timestampMs !== undefined) times.set(offset, eventTsOfRecord(topic, raw, timestampMs))
  }
  return times
}

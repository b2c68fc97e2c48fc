// Selects the part of a chunk that one destination takes. The records of a chunk can have different write modes, so a destination does not
// always take the whole chunk.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Chunk } from '@svc-server/stream/chunk'
import type { Destination, DestinationsOf } from './destinations/destination.ts'
import { type OpenRecord, writeModeOfRecord } from './records.ts'

/**
 * Returns the records that are meant for the destination according to the records' write mode. The result includes records that were
 * already rejected, and records that will be rejected later. Returns null if no record is meant for the destination.
 */
export function partOf(chunk: Chunk<OpenRecord>, destination: Destination, destinationsOf: DestinationsOf): Chunk<OpenRecord> | null {
  const { topic } = chunk
  const takes = (mode: WriteMode | null) => destinationsOf(topic, mode).includes(destination)
  const items = chunk.items.filter(({ payload }) => takes(payload.writeMode))
  const rejected = chunk.rejected.filter(({ raw }) => takes(writeModeOfRecord(topic, raw)))
  if (items.length + rejected.length === 0) return null
  return items.length === chunk.items.length && rejected.length === chunk.rejected.length ? chunk : { ...chunk, items, rejected }
}

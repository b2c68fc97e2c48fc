// Finds the records that precede a chunk and were appended in the same millisecond as the chunk's first record. A row of such a record can
// have the same version as a row of the chunk, and can therefore tie with that row (ties.ts).
import { isAppError } from '@svc-server/errors'
import type { EventLog, FetchedBatch, LogRecord } from '@svc-server/log'

interface Beginning {
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly items: readonly { readonly position: { readonly timestampMs: number } }[]
}

const readBytes = 1 << 20

/**
 * Unreadable and expired records are left out. Usually the record directly before the chunk has an earlier append time than the chunk's
 * first record. In this case, the function reads only that one record. Rejects with log_unavailable.
 */
export async function recordsBefore(
  log: Pick<EventLog, 'read'>,
  { topic, partition, first, items }: Beginning,
): Promise<readonly LogRecord[]> {
  const atMs = items[0]?.position.timestampMs
  if (atMs === undefined) return []
  const read = (from: number, maxBytes: number) => readOrNothing(() => log.read(topic, partition, from, maxBytes))
  let from = first
  /** The last unreadable offset; `first` if there is none. */
  let gone = first
  // `back`, the distance to the chunk, grows by a factor of four, so the search reads at most four times as many records as needed.
  for (let back = 1; from > 0; back *= 4) {
    const at = Math.max(0, first - back)
    const batch = await read(at, 1)
    if (batch === null) {
      gone = at
      break
    }
    const record = batch.records[0]
    const isOlder = record !== undefined && record.offset < first && record.timestampMs !== atMs
    from = isOlder ? record.offset + 1 : at
    if (isOlder) break
  }
  while (from - gone > 1) {
    const at = Math.floor((gone + from) / 2)
    if ((await read(at, 1)) === null) gone = at
    else from = at
  }
  const found: LogRecord[] = []
  while (from < first) {
    const batch = await read(from, readBytes)
    if (batch === null || batch.nextOffset <= from) break
    for (const record of batch.records) if (record.offset < first && record.timestampMs === atMs) found.push(record)
    from = batch.nextOffset
  }
  return found
}

async function readOrNothing(read: () => Promise<FetchedBatch>): Promise<FetchedBatch | null> {
  try {
    return await read()
  } catch (error) {
    if (isAppError(error) && (error.code === 'offset_out_of_range' || error.code === 'log_corrupt')) return null
    throw error
  }
}

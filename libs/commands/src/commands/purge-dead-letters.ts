// Takes dead letters off their topic. The log can only be cut at its beginning, so what stays is appended
// again before its place is given up: a purge that is cut off leaves letters twice, which every reader takes
// for one, and never none.
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type FoundLetter, type LetterRange, letterBatches, letterRanges } from '../dead-letters.ts'

export interface PurgeFilter {
  /** Letters that were written before; milliseconds since the epoch. */
  readonly beforeMs?: number | undefined
  readonly reason?: string | undefined
  readonly projectId?: string | undefined
}

export interface Purged {
  readonly letters: number
  readonly bytes: number
  readonly kept: number
}

/**
 * Every part of the filter has to match. What cannot be read has neither age nor reason nor project: it goes
 * only when nothing is asked for.
 */
function isWanted({ beforeMs, reason, projectId }: PurgeFilter, { letter }: FoundLetter): boolean {
  if (letter === null) return beforeMs === undefined && reason === undefined && projectId === undefined
  if (beforeMs !== undefined && letter.atMs >= beforeMs) return false
  if (reason !== undefined && letter.reason !== reason) return false
  return projectId === undefined || letter.projectId === projectId
}

/** Counts what a purge would take; with `isDone` it takes it. Letters that are written meanwhile stay. */
export async function purge(log: EventLog, filter: PurgeFilter, { isDone }: { readonly isDone: boolean }): Promise<Purged> {
  const total = { letters: 0, bytes: 0, kept: 0 }
  for (const range of await letterRanges(log)) {
    const until = await lastWanted(log, filter, range)
    for await (const batch of letterBatches(log, { ...range, until })) {
      const wanted = batch.filter(found => isWanted(filter, found))
      const kept = batch.filter(found => !isWanted(filter, found))
      total.letters += wanted.length
      total.bytes += wanted.reduce((sum, { value }) => sum + value.byteLength, 0)
      total.kept += kept.length
      if (!isDone) continue
      if (kept.length > 0) {
        const records = kept.map(({ partition, key, value }) => ({ partition, key, value }))
        await log.append(topicNames.deadLetter, records)
      }
      await log.deleteBefore(topicNames.deadLetter, range.partition, batch.at(-1)!.offset + 1)
    }
    if (isDone && until > range.from) await log.deleteBefore(topicNames.deadLetter, range.partition, until)
  }
  return total
}

/** Behind the last letter that is to go: what follows stays where it is. */
async function lastWanted(log: EventLog, filter: PurgeFilter, range: LetterRange): Promise<number> {
  let until = range.from
  for await (const batch of letterBatches(log, range)) {
    for (const found of batch) if (isWanted(filter, found)) until = found.offset + 1
  }
  return until
}

// Takes dead letters off their topic. The log can only be cut at its beginning, so what stays is appended
// again before its place is given up: a purge that is cut off leaves letters twice, which every reader takes
// for one, and never none.
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type FoundLetter, type LetterRange, letterBatches, letterRanges } from './on-topic.ts'

/** What a purge needs of the log. */
export type LetterLog = Pick<EventLog, 'describe' | 'read' | 'append' | 'deleteBefore'>

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

/** What is to be left of a letter: its own bytes, others in place of them, or nothing. */
export type Judge = (found: FoundLetter) => Uint8Array | null

export const judgeBy =
  (filter: PurgeFilter): Judge =>
  found =>
    isWanted(filter, found) ? null : found.value

/**
 * Counts what a purge would take or change; with `isDone` it does it. Letters that are written meanwhile stay.
 */
export async function purge(log: LetterLog, judge: Judge, { isDone }: { readonly isDone: boolean }): Promise<Purged> {
  const total = { letters: 0, bytes: 0, kept: 0 }
  for (const range of await letterRanges(log)) {
    const until = await lastWanted(log, judge, range)
    for await (const batch of letterBatches(log, { ...range, until })) {
      const judged = batch.map(found => ({ found, left: judge(found) }))
      for (const { found, left } of judged) {
        if (left === found.value) total.kept += 1
        else {
          total.letters += 1
          total.bytes += found.value.byteLength
        }
      }
      if (!isDone) continue
      const kept = judged.flatMap(({ found: { partition, key }, left }) => (left === null ? [] : [{ partition, key, value: left }]))
      if (kept.length > 0) await log.append(topicNames.deadLetter, kept)
      await log.deleteBefore(topicNames.deadLetter, range.partition, batch.at(-1)!.offset + 1)
    }
    if (isDone && until > range.from) await log.deleteBefore(topicNames.deadLetter, range.partition, until)
  }
  return total
}

/** Behind the last letter that is to go: what follows stays where it is. */
async function lastWanted(log: LetterLog, judge: Judge, range: LetterRange): Promise<number> {
  let until = range.from
  for await (const batch of letterBatches(log, range)) {
    for (const found of batch) if (judge(found) !== found.value) until = found.offset + 1
  }
  return until
}

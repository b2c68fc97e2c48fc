// Removes dead letters from the topic. The log can delete records only from its beginning. So a purge first appends copies of those earlier
// dead letters that must stay. It then deletes all records up to and including the last dead letter to remove. After an interruption, a
// dead letter can be on the topic twice, but readers count it once.
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type DeadLetterRange, deadLetterBatches, deadLetterRanges, type FoundDeadLetter } from './on-topic.ts'

export type DeadLetterLog = Pick<EventLog, 'describe' | 'read' | 'append' | 'deleteBefore'>

export interface PurgeFilter {
  /** Selects dead letters from before this time, in milliseconds since the epoch. */
  readonly beforeMs?: number | undefined
  readonly reason?: string | undefined
  readonly projectId?: string | undefined
}

export interface Purged {
  readonly deadLetters: number
  readonly bytes: number
  readonly kept: number
}

/** All conditions of the filter must hold. An unreadable dead letter has no age, reason or project, so only an empty filter selects it. */
function isWanted({ beforeMs, reason, projectId }: PurgeFilter, { deadLetter }: FoundDeadLetter): boolean {
  if (deadLetter === null) return beforeMs === undefined && reason === undefined && projectId === undefined
  if (beforeMs !== undefined && deadLetter.atMs >= beforeMs) return false
  if (reason !== undefined && deadLetter.reason !== reason) return false
  return projectId === undefined || deadLetter.projectId === projectId
}

/**
 * Decides what happens to a dead letter. If the result is `found.value` itself, the dead letter is kept. If the result is null, the dead
 * letter is removed. Any other bytes replace the dead letter.
 */
export type Judge = (found: FoundDeadLetter) => Uint8Array | null

export const judgeBy =
  (filter: PurgeFilter): Judge =>
  found =>
    isWanted(filter, found) ? null : found.value

/**
 * Counts the dead letters that must be removed or changed according to `judge`. If `isDone` is true, the function also removes or changes
 * these dead letters; otherwise, it only counts them. A dead letter that is written meanwhile is kept.
 */
export async function purge(log: DeadLetterLog, judge: Judge, { isDone }: { readonly isDone: boolean }): Promise<Purged> {
  const total = { deadLetters: 0, bytes: 0, kept: 0 }
  for (const range of await deadLetterRanges(log)) {
    const until = await lastWanted(log, judge, range)
    for await (const batch of deadLetterBatches(log, { ...range, until })) {
      const judged = batch.map(found => ({ found, left: judge(found) }))
      for (const { found, left } of judged) {
        if (left === found.value) total.kept += 1
        else {
          total.deadLetters += 1
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

/** Returns the offset after the last dead letter to remove or change. The purge neither deletes nor copies later dead letters. */
async function lastWanted(log: DeadLetterLog, judge: Judge, range: DeadLetterRange): Promise<number> {
  let until = range.from
  for await (const batch of deadLetterBatches(log, range)) {
    for (const found of batch) if (judge(found) !== found.value) until = found.offset + 1
  }
  return until
}

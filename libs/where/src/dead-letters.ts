// Finds dead letters of a trace among the newest ones. No order of the topic helps to find a trace.
import { type FoundLetter, letterBatches, letterRanges } from '@svc-server/dead-letters/on-topic'
import type { EventLog } from '@svc-server/log'
import type { DeadLetter } from '@svc-server/schema/dead-letter'
import type { Budget } from './budget.ts'
import { traceIdBytes } from './spans-of-trace.ts'

export type TraceLetter = Pick<DeadLetter, 'id' | 'stage' | 'reason' | 'message' | 'atMs'>

export interface LettersOptions {
  readonly log: Pick<EventLog, 'read' | 'describe'>
  readonly projectId: string
  readonly traceId: string
  readonly budget: Budget
}

/** Maximum dead letters read per partition. */
const newest = 5_000

/** Returns each dead letter once. */
export async function lettersOfTrace({ log, projectId, traceId, budget }: LettersOptions): Promise<readonly TraceLetter[]> {
  const found = new Map<string, TraceLetter>()
  const [bytes, text] = [traceIdBytes(traceId), Buffer.from(traceId)]
  const isOfTrace = ({ raw }: DeadLetter) => {
    const own = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
    return (bytes !== null && own.includes(bytes)) || own.includes(text)
  }
  const take = ({ letter, value }: FoundLetter) => {
    budget.spend(value.length)
    if (letter === null || letter.projectId !== projectId || !isOfTrace(letter)) return
    const { id, stage, reason, message, atMs } = letter
    found.set(id, { id, stage, reason, message, atMs })
  }
  for (const { partition, from, until } of await letterRanges(log)) {
    const first = Math.max(from, until - newest)
    if (first > from) budget.giveUp()
    for await (const batch of letterBatches(log, { partition, from: first, until })) {
      if (!budget.hasMore) {
        budget.giveUp()
        break
      }
      for (const each of batch) take(each)
    }
  }
  return [...found.values()]
}

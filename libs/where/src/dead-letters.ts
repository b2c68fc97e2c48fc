// Finds a trace among the newest dead letters. The topic is not ordered by trace, so all of these dead letters are read.
import { deadLetterBatches, deadLetterRanges, type FoundDeadLetter } from '@svc-server/dead-letters/on-topic'
import type { EventLog } from '@svc-server/log'
import type { DeadLetter } from '@svc-server/schema/dead-letter'
import type { Budget } from './budget.ts'
import { spanBatchOf, spansOfTrace, traceIdBytes } from './spans-of-trace.ts'

export type TraceDeadLetter = Pick<DeadLetter, 'id' | 'stage' | 'reason' | 'message' | 'atMs'>

export interface DeadLettersOptions {
  readonly log: Pick<EventLog, 'read' | 'describe'>
  readonly projectId: string
  readonly traceId: string
  readonly budget: Budget
}

/** Maximum number of dead letters to read in each partition. */
const newest = 5_000

/** Each dead letter only once. */
export async function deadLettersOfTrace({ log, projectId, traceId, budget }: DeadLettersOptions): Promise<readonly TraceDeadLetter[]> {
  const found = new Map<string, TraceDeadLetter>()
  const [bytes, text] = [traceIdBytes(traceId), Buffer.from(traceId)]
  async function isOfTrace({ raw }: DeadLetter): Promise<boolean> {
    const own = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
    if ((bytes !== null && own.includes(bytes)) || own.includes(text)) return true
    // The payload can be a whole compressed record, whose traces are unknown until it is decoded.
    const batch = bytes === null ? null : spanBatchOf(raw)
    return batch !== null && bytes !== null && (await spansOfTrace(batch, bytes).catch(() => 0)) > 0
  }
  const take = async ({ deadLetter, value }: FoundDeadLetter) => {
    budget.spend(value.length)
    if (deadLetter === null || deadLetter.projectId !== projectId || !(await isOfTrace(deadLetter))) return
    const { id, stage, reason, message, atMs } = deadLetter
    found.set(id, { id, stage, reason, message, atMs })
  }
  for (const { partition, from, until } of await deadLetterRanges(log)) {
    const first = Math.max(from, until - newest)
    if (first > from) budget.giveUp()
    for await (const batch of deadLetterBatches(log, { partition, from: first, until })) {
      if (!budget.hasMore) {
        budget.giveUp()
        break
      }
      for (const each of batch) await take(each)
    }
  }
  return [...found.values()]
}

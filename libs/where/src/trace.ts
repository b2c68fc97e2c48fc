// Finds a trace in the tables, on the log, in a window of the propagator, among the dead letters, or among the deletions. The search
// follows the route of the spans from its beginning. A span that moves during the search is thus found twice instead of not at all.
import type { ColumnStore } from '@svc-server/column-store/port'
import { counted } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createBudget } from './budget.ts'
import { deadLettersOfTrace, type TraceDeadLetter } from './dead-letters.ts'
import { type StoredTrace, storedTrace } from './stored.ts'
import { type WaitingRecord, type WindowTimes, waitingRecords } from './waiting.ts'

export type { WindowTimes } from './waiting.ts'

type TraceState = 'stored' | 'in_window' | 'on_the_log' | 'dead_lettered' | 'deleted' | 'unknown'

export interface WhereTrace {
  readonly traceId: string
  /**
   * The spans of a trace can be in different stages. `state` is the earliest of these stages, so a trace with a waiting span is not
   * `stored`.
   */
  readonly state: TraceState
  /** Describes the state, and gives advice. */
  readonly message: string
  readonly stored: StoredTrace
  /** Spans on the log that are not stored yet. `records` lists the first records with such spans. */
  readonly onTheLog: { readonly spans: number; readonly records: readonly WaitingRecord[] }
  readonly inWindow: { readonly spans: number; readonly untilMs: number | null; readonly records: readonly WaitingRecord[] }
  readonly deadLetters: readonly TraceDeadLetter[]
  /** Time of the deletion request, in milliseconds since the epoch. */
  readonly deletedMs: number | null
  /** False if the search reached its limit. */
  readonly isWhole: boolean
}

export interface WhereOptions extends WindowTimes {
  readonly log: Pick<EventLog, 'read' | 'describe' | 'committed'>
  readonly columnStore: Pick<ColumnStore, 'query'>
  readonly projectId: string
  readonly traceId: string
  readonly writeMode: WriteMode
  /** Returns the time of the request to delete the trace or its project. */
  readonly deletedAt: () => Promise<Date | undefined>
  readonly signal?: AbortSignal | undefined
  readonly maxBytes?: number
  readonly maxMs?: number
}

const maxListed = 100

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** Rejects with errors log_*, column_store_*, or relational_*. */
export async function whereIsTrace(options: WhereOptions): Promise<WhereTrace> {
  const { traceId, maxBytes = 64 << 20, maxMs = 5_000, signal } = options
  const budget = createBudget({ maxBytes, maxMs, signal })
  const records: Record<'log' | 'window', WaitingRecord[]> = { log: [], window: [] }
  const spans = { log: 0, window: 0 }
  let untilMs: number | null = null
  for await (const record of waitingRecords({ ...options, budget })) {
    const place = record.topic === topicNames.staging ? 'window' : 'log'
    spans[place] += record.spans
    if (records[place].length < maxListed) records[place].push(record)
    if (record.untilMs !== undefined) untilMs = Math.max(untilMs ?? 0, record.untilMs)
  }
  const stored = await storedTrace(options)
  const deadLetters = await deadLettersOfTrace({ ...options, budget })
  const deletedMs = (await options.deletedAt())?.getTime() ?? null
  const found = {
    stored,
    onTheLog: { spans: spans.log, records: records.log },
    inWindow: { spans: spans.window, untilMs, records: records.window },
    deadLetters: deadLetters.slice(0, maxListed),
    deletedMs,
    isWhole: !budget.isSpent,
  }
  return { traceId, ...said(found), ...found }
}

type Found = Omit<WhereTrace, 'traceId' | 'state' | 'message'>

function said({ stored, onTheLog, inWindow, deadLetters, deletedMs, isWhole }: Found): Pick<WhereTrace, 'state' | 'message'> {
  const has = stored.observations === 0 ? '' : ` ${counted(stored.observations, 'observation')} of the trace can be read.`
  if (deletedMs !== null) {
    return {
      state: 'deleted',
      message: `The trace was deleted at ${timeOf(deletedMs)}. Later spans of a deleted trace are not stored.`,
    }
  }
  if (inWindow.spans > 0) {
    const until = timeOf(inWindow.untilMs!)
    return {
      state: 'in_window',
      message: `${counted(inWindow.spans, 'span')} in a window until ${until}, and readable seconds later.${has}`,
    }
  }
  if (onTheLog.spans > 0) {
    const since = timeOf(onTheLog.records.reduce((oldest, { appendedMs }) => Math.min(oldest, appendedMs), Number.POSITIVE_INFINITY))
    return {
      state: 'on_the_log',
      message: `${counted(onTheLog.spans, 'span')} on the log since ${since}, and not yet in the tables.${has}`,
    }
  }
  if (deadLetters.length > 0) {
    const [{ reason, message }] = deadLetters as [TraceDeadLetter]
    const rest = deadLetters.length === 1 ? '' : ` (${deadLetters.length} dead letters in all)`
    return { state: 'dead_lettered', message: `Dead-lettered, ${reason}: ${message}${rest}${has}` }
  }
  if (stored.observations > 0) {
    return { state: 'stored', message: `Stored: ${counted(stored.observations, 'observation')}. No data of the trace is waiting.` }
  }
  if (!isWhole)
    return {
      state: 'unknown',
      message: 'Not found before the search ran out of time. Try again, or run svc topics to see how far the services are behind.',
    }
  const advice = 'Check the id, the project of the key, and the response that the exporter got.'
  return { state: 'unknown', message: `Nothing of this trace is in the tables, on the log or among the newest dead letters. ${advice}` }
}

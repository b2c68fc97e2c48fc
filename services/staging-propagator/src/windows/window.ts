// One window of one partition while it is read: per trace its attributes and the offsets of its spans, never the spans.
import type { DeadLetterReason } from '@svc-server/errors'
import { joinCandidates, noCandidates } from '@svc-server/observations/trace'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'
import type { TraceItem } from '@svc-server/schema/trace-window'
import type { RecordReading } from '../reading/messages.ts'
import { joinItems, noItems } from './items.ts'

/** A trace in the window. */
export interface WindowTrace {
  /** Key of its records on the log: project/trace. */
  readonly key: Buffer
  candidates: TraceCandidates
  /** Staging offsets, ascending. What comes after the limit of a trace is not among them. */
  readonly offsets: number[]
  /** Spans at those offsets. */
  spans: number
  /** Spans behind the limit: published as they are. */
  spansOverLimit: number
  /** Offset of its first record in the window: with it the trace leaves. */
  readonly first: number
  /** Run items in the window, ascending by id. */
  items: readonly TraceItem[]
}

interface BadRecord {
  readonly reason: DeadLetterReason
  readonly message: string
  readonly projectId: string | null
}

export interface OpenWindow {
  /** First offset; inclusive. */
  readonly first: number
  /** Append time at which it ends: a record with a later one belongs to the next window. */
  readonly endMs: number
  /** Monotonic time at which its first record was read here. */
  readonly openedAt: number
  readonly traces: Map<string, WindowTrace>
  readonly bad: Map<number, BadRecord>
  /** Offsets of run items: they are not published, spans are filled with them. */
  readonly items: Set<number>
  records: number
  /** What the traces' candidates hold, about: their texts are the clients'. */
  bytes: number
  /** Offset of the last record; a window may end in holes. */
  lastRecord: number
}

export const openWindow = (first: number, endMs: number, openedAt: number): OpenWindow => ({
  first,
  endMs,
  openedAt,
  traces: new Map(),
  bad: new Map(),
  items: new Set(),
  records: 0,
  bytes: 0,
  lastRecord: first,
})

export interface WindowLimits {
  readonly maxWindowTraces: number
  readonly maxWindowRecords: number
  readonly maxWindowBytes: number
}

/** To be closed before its time. It may be over a limit by a few records. */
export const isFull = (
  { traces, records, bytes }: OpenWindow,
  { maxWindowTraces, maxWindowRecords, maxWindowBytes }: WindowLimits,
): boolean => traces.size >= maxWindowTraces || records >= maxWindowRecords || bytes >= maxWindowBytes

/** Binary text, because keys are bytes: one string per trace and window. */
export const keyText = (key: Buffer): string => key.toString('latin1')

export interface WindowRecord {
  readonly offset: number
  readonly key: Buffer | null
}

const slash = 0x2f
/** As gateways write it: project/trace. */
const namesTrace = (key: Buffer): boolean => key.includes(slash)

/**
 * Takes a record in. A record without a key, or with another one, has no trace to be filled from, and is
 * passed on as it is.
 */
export function addRecord(window: OpenWindow, { offset, key }: WindowRecord, reading: RecordReading, maxTraceSpans: number): void {
  window.records++
  window.lastRecord = offset
  if (!reading.ok) {
    window.bad.set(offset, reading)
    return
  }
  if (reading.item !== undefined) window.items.add(offset)
  if (key === null || !namesTrace(key) || reading.item === null) return
  const text = keyText(key)
  const trace = window.traces.get(text)
  if (reading.item !== undefined) {
    addItem(window, trace ?? newTrace(window, text, key, offset), { ...reading.item, offset })
    return
  }
  if (trace === undefined) {
    const own = newTrace(window, text, key, offset)
    own.candidates = reading.candidates
    own.offsets.push(offset)
    own.spans = reading.spans
    window.bytes += bytesOf(own.candidates)
    return
  }
  // Beyond the limit spans are not filled, but what they say still counts: roots come last.
  const joined = joinCandidates(trace.candidates, reading.candidates)
  if (joined !== trace.candidates) window.bytes += bytesOf(joined) - bytesOf(trace.candidates)
  trace.candidates = joined
  if (trace.spans >= maxTraceSpans || trace.spansOverLimit > 0) {
    trace.spansOverLimit += reading.spans
  } else {
    trace.offsets.push(offset)
    trace.spans += reading.spans
  }
}

function newTrace(window: OpenWindow, text: string, key: Buffer, first: number): WindowTrace {
  const trace: WindowTrace = {
    // The key is a view of a whole fetch, which must not be held by it.
    key: Buffer.from(key),
    candidates: noCandidates,
    offsets: [],
    spans: 0,
    spansOverLimit: 0,
    first,
    items: noItems,
  }
  window.traces.set(text, trace)
  return trace
}

function addItem(window: OpenWindow, trace: WindowTrace, item: TraceItem): void {
  const before = trace.items.length
  trace.items = joinItems(trace.items, [item])
  if (trace.items.length > before) window.bytes += itemBytes + 2 * (item.rootId?.length ?? 0)
}

const itemBytes = 200

/** Two for a character, as it may be, and something for the objects around it. */
const bytesOf = ({ winners, tags }: TraceCandidates): number =>
  winners.reduce((sum, { value }) => sum + 2 * value.length + 100, 0) + tags.reduce((sum, tag) => sum + 2 * tag.length + 20, 0)

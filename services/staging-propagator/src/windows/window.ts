// One window of one partition while it is being read. For each trace, the window has the attributes and the offsets of the spans, but never
// the spans.
import type { DeadLetterReason } from '@svc-server/errors'
import { joinCandidates, noCandidates } from '@svc-server/observations/trace'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'
import type { TraceItem } from '@svc-server/schema/trace-window'
import type { RecordReading } from '../reading/messages.ts'
import { joinItems, noItems } from './items.ts'

/** A trace in the window. */
export interface WindowTrace {
  /** Key of the trace's records on the log, in the form project/trace. */
  readonly key: Buffer
  candidates: TraceCandidates
  /** Offsets on spans.staging, ascending; records beyond the trace's limit are left out. */
  readonly offsets: number[]
  /** Number of spans in the records at `offsets`. */
  spans: number
  /** Number of spans beyond the limit, which are published unchanged. */
  spansOverLimit: number
  /** Offset of the trace's first record in the window. The trace is counted and recorded when its first record is published. */
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
  /** Append time at which the window ends. A record with a later time belongs to a later window. */
  readonly endMs: number
  /** Monotonic time at which this process read the first record. */
  readonly openedAt: number
  readonly traces: Map<string, WindowTrace>
  readonly bad: Map<number, BadRecord>
  /** Offsets of run items. A run item adds data to spans and is not published itself. */
  readonly items: Set<number>
  records: number
  /** Approximate bytes of the traces' candidates, whose texts come from clients. */
  bytes: number
  /** Offset of the last record. The window can also contain later offsets, at which the log has no records. */
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

/** True if the window must close early because it has reached a limit. The window can exceed a limit by a few records. */
export const isFull = (
  { traces, records, bytes }: OpenWindow,
  { maxWindowTraces, maxWindowRecords, maxWindowBytes }: WindowLimits,
): boolean => traces.size >= maxWindowTraces || records >= maxWindowRecords || bytes >= maxWindowBytes

/** Converts a key to a binary text. A window keeps the text of each trace's key. */
export const keyText = (key: Buffer): string => key.toString('latin1')

export interface WindowRecord {
  readonly offset: number
  readonly key: Buffer | null
}

const slash = 0x2f
/** Gateways write keys as project/trace. */
const namesTrace = (key: Buffer): boolean => key.includes(slash)

/** Adds a record to the window. A record whose key names no trace gets no trace attributes and is published unchanged. */
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
  // Spans beyond the limit get no trace attributes, but their own attributes are used, because the root usually arrives last.
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
    // The key is copied, because it is a view of a whole fetch, which would otherwise stay in memory.
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

/** The estimate is two bytes per character, plus the objects around the text. */
const bytesOf = ({ winners, tags }: TraceCandidates): number =>
  winners.reduce((sum, { value }) => sum + 2 * value.length + 100, 0) + tags.reduce((sum, tag) => sum + 2 * tag.length + 20, 0)

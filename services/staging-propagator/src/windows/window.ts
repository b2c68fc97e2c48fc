// One window of one partition, while the propagator reads it. For each trace, the window has attributes and offsets, but never the spans.
import type { DeadLetterReason } from '@svc-server/errors'
import { joinCandidates, noCandidates } from '@svc-server/observations/trace'
import type { TraceCandidates } from '@svc-server/schema/trace-candidates'
import type { TraceItem } from '@svc-server/schema/trace-window'
import type { RecordReading } from '../reading/messages.ts'
import { joinItems, noItems } from './items.ts'

export interface WindowTrace {
  /** The key of the trace, in the form project/trace. */
  readonly key: Buffer
  candidates: TraceCandidates
  /** Ascending offsets of the trace's records, without records beyond the trace's limit. */
  readonly offsets: number[]
  /** Number of spans in the records at `offsets`. */
  spans: number
  /** Number of the trace's spans beyond the limit `maxTraceSpans`. The propagator publishes these spans unchanged. */
  spansOverLimit: number
  /**
   * Offset of the trace's first record. When the propagator publishes the range that contains this offset, it also publishes the trace's
   * record on `trace.attributes`, and counts the trace in its metrics.
   */
  readonly first: number
  /** The run items of the trace, ascending by id. */
  items: readonly TraceItem[]
}

interface BadRecord {
  readonly reason: DeadLetterReason
  readonly message: string
  readonly projectId: string | null
}

export interface OpenWindow {
  readonly first: number
  /** Append time at which the window ends. A record that was appended later belongs to a later window. */
  readonly endMs: number
  /** Monotonic time at which the window was opened. */
  readonly openedAt: number
  readonly traces: Map<string, WindowTrace>
  readonly bad: Map<number, BadRecord>
  /** Offsets of the records that are run items. The propagator does not publish these records, but adds their values to spans. */
  readonly items: Set<number>
  records: number
  bytes: number
  /** Offset of the last record that was read into the window. */
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

/** True if the window has reached a limit and must close early. The window can exceed a limit by a few records. */
export const isFull = (
  { traces, records, bytes }: OpenWindow,
  { maxWindowTraces, maxWindowRecords, maxWindowBytes }: WindowLimits,
): boolean => traces.size >= maxWindowTraces || records >= maxWindowRecords || bytes >= maxWindowBytes

export const keyText = (key: Buffer): string => key.toString('latin1')

export interface WindowRecord {
  readonly offset: number
  readonly key: Buffer | null
}

const slash = 0x2f
const namesTrace = (key: Buffer): boolean => key.includes(slash)

/** Adds a record to the window. If the record's key names no trace, the propagator will publish the record unchanged. */
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
  // Spans beyond `maxTraceSpans` contribute attributes too: the root usually arrives last, so the root can be one of these spans.
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
    // The key is copied. A reference to the original key would keep the buffer of the whole fetch in memory.
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

const bytesOf = ({ winners, tags }: TraceCandidates): number =>
  winners.reduce((sum, { value }) => sum + 2 * value.length + 100, 0) + tags.reduce((sum, tag) => sum + 2 * tag.length + 20, 0)

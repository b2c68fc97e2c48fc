// Decides which attributes a window's spans get. The decision joins the trace's attributes in the window with the trace's attributes in
// earlier windows. The propagator publishes a window after the window is closed. The propagator decides about a trace when it publishes the
// trace's first span of the window. The decision uses the state at the end of the window, so a repeated publication makes the same
// decision.

import type { NewRecord } from '@svc-server/log'
import { fillHash, fillOf, joinCandidates } from '@svc-server/observations/trace'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { projectOfTraceKey } from '@svc-server/schema/trace-key'
import { encodeTraceWindow, type TraceWindow, traceWindowKey, unassigned } from '@svc-server/schema/trace-window'
import type { TraceState } from '../state/index.ts'
import { joinItems } from './items.ts'
import type { OpenWindow, WindowTrace } from './window.ts'

export type ExitReason = 'root_seen' | 'root_missing' | 'over_trace_limit' | 'over_project_limit'

interface Decision {
  /** The attributes that the spans get. Null only if no span gets attributes, because the trace or its project already reached a limit. */
  readonly fill: TraceAttributes | null
  /** The spans up to this offset get trace attributes. Later spans are beyond the limit of the trace. */
  readonly filledUntil: number
  /** The reason under which a metric counts the published trace. Null if the trace was already counted before a restart. */
  readonly exit: ExitReason | null
  /** The record of the trace's attributes. The record is published together with the trace's first span. */
  readonly record: NewRecord | null
  /** True if an earlier window of this trace was already published. */
  readonly late: boolean
}

export interface Decisions {
  of(trace: WindowTrace): Decision
  /**
   * True if at least one trace of the window needs a repair: the trace belongs to a dataset run, or the trace's earlier spans were
   * published with attributes that differ from the trace's present attributes.
   */
  readonly repairsNeeded: boolean
}

export interface DecisionLimits {
  /** At most this many spans of a trace get trace attributes and repairs. */
  readonly maxTraceSpans: number
  /** Maximum traces of a project in this partition. */
  readonly maxProjectTraces: number
  /** The state drops a window that ended more than this time before the end of the newest window. Both ends are append times. */
  readonly retentionMs: number
}

const saysNothingNew = (before: TraceWindow, { items, candidates, fill }: TraceWindow): boolean =>
  items.length === 0 ? before.fill === fill : items === before.items && fillHash(fillOf(before.candidates)) === fillHash(fillOf(candidates))

/**
 * Restores the decision from the published record. `repairsNeeded` stays unchanged, because the state already contains this record. If the
 * trace needs a repair, the state therefore already counts the trace as pending (`pendingCount`).
 */
const asRecorded = ({ candidates, offsets }: TraceWindow, late: boolean): Decision => ({
  fill: fillOf(candidates),
  filledUntil: offsets.at(-1) ?? -1,
  exit: null,
  record: null,
  late,
})

/** The caller must first apply all earlier publications to `state`. */
export function createDecisions(
  partition: number,
  window: Pick<OpenWindow, 'first' | 'endMs'>,
  last: number,
  state: TraceState,
  { maxTraceSpans, maxProjectTraces, retentionMs }: DecisionLimits,
): Decisions {
  let repairsNeeded = false
  const decided = new Map<WindowTrace, Decision>()
  /** Number of traces per project: the traces in the state and the new traces in this window. */
  const projectTraces = new Map<string, number>()

  function admit(projectId: string): boolean {
    const traces = projectTraces.get(projectId) ?? state.projectTraces(partition, projectId)
    projectTraces.set(projectId, traces + 1)
    return traces < maxProjectTraces
  }

  function decide(trace: WindowTrace): Decision {
    const newest = state.newest(partition, trace.key)
    // If a restart interrupted this window's publication, the trace's newest record in the state can already be the record for this window.
    const isOwn = newest !== null && newest.firstOffset === window.first
    const known = isOwn ? (state.windows(partition, trace.key).findLast(({ firstOffset }) => firstOffset < window.first) ?? null) : newest
    // The age of an earlier window is the time between the earlier window's end and the end of this window. The age is not measured from
    // the end of the newest window in the state, because the newest window's end can change before an interrupted publication is repeated.
    // The repetition must make the same decision as the interrupted publication.
    const before = known !== null && known.endMs >= window.endMs - retentionMs ? known : null
    const late = before !== null
    // The recorded decision covers the whole window. A new decision would miss staged records that have expired since their publication.
    if (isOwn && newest.lastOffset === last) return asRecorded(newest, late)
    const unfilled = (exit: ExitReason): Decision => ({ fill: null, filledUntil: -1, exit, record: null, late })
    const spansBefore = before?.totalSpans ?? 0
    const isOver = spansBefore >= maxTraceSpans
    if (newest === null && !admit(projectOfTraceKey(trace.key))) return unfilled('over_project_limit')

    const candidates = before === null ? trace.candidates : joinCandidates(before.candidates, trace.candidates)
    const items = before === null ? trace.items : joinItems(before.items, trace.items)
    const fill = fillOf(candidates)
    const record: TraceWindow = {
      firstOffset: window.first,
      lastOffset: last,
      endMs: window.endMs,
      candidates,
      offsets: isOver ? [] : trace.offsets,
      spans: isOver ? 0 : trace.spans,
      totalSpans: spansBefore + (isOver ? 0 : trace.spans),
      generation: 0,
      // Windows do not wait for run items. The mark `unassigned` causes a repair, which later reads the whole trace and assigns its run
      // items to spans.
      fill: items.length > 0 ? unassigned : fillHash(fill),
      items,
      assignedAt: null,
    }
    if (isOver && saysNothingNew(before!, record)) return unfilled('over_trace_limit')
    if (items.length > 0 || (before !== null && before.fill !== record.fill)) repairsNeeded = true
    const encoded: NewRecord = { key: traceWindowKey(trace.key, window.first), value: encodeTraceWindow(record), partition }
    if (isOver) return { ...unfilled('over_trace_limit'), record: encoded }
    const exit = trace.spansOverLimit > 0 ? 'over_trace_limit' : candidates.rootSeen ? 'root_seen' : 'root_missing'
    return { fill, filledUntil: trace.offsets.at(-1) ?? -1, exit, record: encoded, late }
  }

  return {
    of(trace) {
      const known = decided.get(trace)
      if (known !== undefined) return known
      const decision = decide(trace)
      decided.set(trace, decision)
      return decision
    },
    get repairsNeeded() {
      return repairsNeeded
    },
  }
}

// Decides which attributes a window's spans get. For each trace, joins the attributes in the window with those that are known from earlier
// windows. The decision for a trace is made once, when its first span is published. The decision uses the state at the end of the window,
// so that a rerun decides in the same way.

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
  /** Null if the trace exceeds a limit, so that its spans are published unchanged. */
  readonly fill: TraceAttributes | null
  /** The last offset whose record gets trace attributes. */
  readonly filledUntil: number
  /** Exit reason of the trace for the metric; null if it was counted before a restart. */
  readonly exit: ExitReason | null
  /** The trace's record for this window, which is published with the trace's first span; null if the trace has no record. */
  readonly record: NewRecord | null
  /** True if an earlier window of this trace was already published. */
  readonly late: boolean
}

export interface Decisions {
  of(trace: WindowTrace): Decision
  /** True if earlier spans of the trace were published with different attributes and need a repair. */
  readonly repairsNeeded: boolean
}

export interface DecisionLimits {
  /** Maximum number of spans of a trace that get trace attributes and can be repaired. */
  readonly maxTraceSpans: number
  /** Maximum number of a project's current traces in this partition. */
  readonly maxProjectTraces: number
  /** Age, by the log's time, at which the state drops a window. */
  readonly retentionMs: number
}

const saysNothingNew = (before: TraceWindow, { items, candidates, fill }: TraceWindow): boolean =>
  items.length === 0 ? before.fill === fill : items === before.items && fillHash(fillOf(before.candidates)) === fillHash(fillOf(candidates))

/** Restores the decision from the record that was published. The state already knows whether the trace needs a repair. */
const asRecorded = ({ candidates, offsets }: TraceWindow, late: boolean): Decision => ({
  fill: fillOf(candidates),
  filledUntil: offsets.at(-1) ?? -1,
  exit: null,
  record: null,
  late,
})

/** Decides about the traces of one closed window. Before the call, the state must have applied all earlier publications. */
export function createDecisions(
  partition: number,
  window: Pick<OpenWindow, 'first' | 'endMs'>,
  last: number,
  state: TraceState,
  { maxTraceSpans, maxProjectTraces, retentionMs }: DecisionLimits,
): Decisions {
  let repairsNeeded = false
  const decided = new Map<WindowTrace, Decision>()
  /**
   * Number of traces per project. Includes the traces that are new in this window, and the traces in the state. The state does not change
   * during this call.
   */
  const projectTraces = new Map<string, number>()

  function admit(projectId: string): boolean {
    const traces = projectTraces.get(projectId) ?? state.projectTraces(partition, projectId)
    projectTraces.set(projectId, traces + 1)
    return traces < maxProjectTraces
  }

  function decide(trace: WindowTrace): Decision {
    const newest = state.newest(partition, trace.key)
    // The state has the window's own record if a part of the window was published before a restart.
    const isOwn = newest !== null && newest.firstOffset === window.first
    const known = isOwn ? (state.windows(partition, trace.key).findLast(({ firstOffset }) => firstOffset < window.first) ?? null) : newest
    // The age is measured from the end of the current window, so that a first run and a rerun get the same result. The state itself
    // measures from the newest end that it knows. In a rerun, this end belongs to the current window; in a first run, it belongs to an
    // earlier window.
    const before = known !== null && known.endMs >= window.endMs - retentionMs ? known : null
    const late = before !== null
    // The decision in the window's own record covers the whole window. The records of a published part can have expired, so the state can
    // lack them.
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
      // Spans beyond the limit get no trace attributes, but their own attributes are still added to the other spans.
      offsets: isOver ? [] : trace.offsets,
      spans: isOver ? 0 : trace.spans,
      totalSpans: spansBefore + (isOver ? 0 : trace.spans),
      generation: 0,
      // Assigning spans to run items requires reading the whole trace. A repair later assigns run items to the spans, so that windows do
      // not wait.
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

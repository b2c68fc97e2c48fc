// Combines what two groups of spans state about their trace. The operation is commutative, associative, and idempotent (a join). The result
// therefore depends neither on the order of records nor on repetitions (architecture §6).
import type { TraceCandidate, TraceCandidates, TraceField } from '@svc-server/schema/trace-candidates'
import { compareText } from './text-order.ts'

export const traceFields = [
  'name',
  'userId',
  'sessionId',
  'release',
  'version',
  'environment',
  'public',
  'rootSpanId',
] as const satisfies readonly TraceField[]

/**
 * If a trace has more tags, it keeps only the first ones in the order of `compareText`. The propagator stores clients' tags for two days,
 * so their number is limited.
 */
export const maxTraceTags = 200

/** No candidates. A join with this value changes nothing. */
export const noCandidates: TraceCandidates = Object.freeze({ winners: Object.freeze([]), tags: Object.freeze([]), rootSeen: false })

/**
 * Returns the rank of a span's value for a field of the trace. The value with the smallest rank wins. Values of a span without a parent
 * (`root`) come first. The `explicit` values of other spans come next. A value is explicit if its attribute describes the trace. A value is
 * also explicit if the span has a parent, but is marked as root (`isMarkedRoot`). The field `name` has two exceptions. A mark as root does
 * not make a name explicit. Every explicit name comes before the root's own name.
 */
export const strength = (field: TraceField, root: boolean, explicit: boolean): number =>
  field === 'name' ? (explicit ? 0 : 2) + (root ? 0 : 1) : (root ? 0 : 2) + (explicit ? 0 : 1)

/** Returns a negative number if `a` wins, and a positive number if `b` wins. Returns 0 if both are the same value of the same span. */
function compareCandidates(a: TraceCandidate, b: TraceCandidate): number {
  const difference = strength(a.field, a.root, a.explicit) - strength(b.field, b.root, b.explicit)
  if (difference !== 0) return difference
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
  if (a.spanId !== b.spanId) return a.spanId < b.spanId ? -1 : 1
  return compareText(a.value, b.value)
}

/** Returns `a` itself if `b` adds nothing. */
export function joinCandidates(a: TraceCandidates, b: TraceCandidates): TraceCandidates {
  const winners = joinWinners(a.winners, b.winners)
  const tags = joinTags(a.tags, b.tags)
  const rootSeen = a.rootSeen || b.rootSeen
  return winners === a.winners && tags === a.tags && rootSeen === a.rootSeen ? a : { winners, tags, rootSeen }
}

function joinWinners(a: readonly TraceCandidate[], b: readonly TraceCandidate[]): readonly TraceCandidate[] {
  if (b.length === 0) return a
  if (a.length === 0) return b
  const winners: TraceCandidate[] = []
  let isNew = false
  let i = 0
  let j = 0
  for (const field of traceFields) {
    const one = a[i]?.field === field ? a[i++] : undefined
    const other = b[j]?.field === field ? b[j++] : undefined
    if (one !== undefined && (other === undefined || compareCandidates(one, other) <= 0)) winners.push(one)
    else if (other !== undefined) {
      winners.push(other)
      isNew = true
    }
  }
  return isNew ? winners : a
}

function joinTags(a: readonly string[], b: readonly string[]): readonly string[] {
  if (b.length === 0) return a
  if (a.length === 0) return b
  const tags: string[] = []
  let isNew = false
  for (let i = 0, j = 0; (i < a.length || j < b.length) && tags.length < maxTraceTags; ) {
    const order = i === a.length ? 1 : j === b.length ? -1 : compareText(a[i]!, b[j]!)
    tags.push(order <= 0 ? a[i]! : b[j]!)
    if (order > 0) isNew = true
    if (order <= 0) i++
    if (order >= 0) j++
  }
  return isNew || tags.length < a.length ? tags : a
}

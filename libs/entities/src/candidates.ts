// The candidates that a staged trace contributes to the propagator's join (architecture §6). They outrank candidates
// of spans, whose values the trace has already merged.
import { noCandidates } from '@svc-server/observations/trace/join'
import type { TraceCandidate, TraceCandidates, TraceField } from '@svc-server/schema/trace-candidates'
import type { PublishedEntity } from './codec.ts'
import { type EntityState, type FieldName, saidValue } from './state.ts'

/** Base of ranks that no span has: the version's time is subtracted from it, so that a later version has a smaller rank and wins. */
const latestVersionMs = 2 ** 43
const noSpan = '0000000000000000'

const fields: readonly (readonly [field: TraceField, name: FieldName])[] = [
  ['name', 'name'],
  ['userId', 'userId'],
  ['sessionId', 'sessionId'],
  ['release', 'release'],
  ['version', 'version'],
  ['public', 'public'],
]

export function candidatesOfEntity({ entityType, state, versionMs }: PublishedEntity): TraceCandidates {
  if (entityType !== 'trace') return noCandidates
  const startNs = BigInt(latestVersionMs - versionMs)
  const winners: TraceCandidate[] = fields.flatMap(([field, name]) => {
    // Null also counts as a value: it withdraws the value of an earlier version.
    const value = state.fields.has(name) ? (saidValue(state, name) ?? '') : undefined
    return value === undefined ? [] : [{ field, root: true, explicit: true, startNs, spanId: noSpan, value }]
  })
  if (state.root !== null) winners.push(candidateOfRoot(state.root))
  return { winners, tags: state.tags, rootSeen: true }
}

/** The earliest root wins, whichever record has it. */
const candidateOfRoot = ({ startUs, spanId }: NonNullable<EntityState['root']>): TraceCandidate => ({
  field: 'rootSpanId',
  root: true,
  explicit: true,
  startNs: BigInt(startUs) * 1000n,
  spanId,
  value: spanId,
})

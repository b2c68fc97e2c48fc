// Creates candidates for the propagator (architecture §6) from the merged state of a staged trace. These candidates win over candidates
// from single spans, because the merged state already contains the values of the spans.
import { noCandidates } from '@svc-server/observations/trace/join'
import type { TraceCandidate, TraceCandidates, TraceField } from '@svc-server/schema/trace-candidates'
import type { PublishedEntity } from './codec.ts'
import { type EntityState, type FieldName, saidValue } from './state.ts'

/**
 * Of several candidates with equal rank, the candidate with the earliest start wins. The start of an entity's candidates is this number
 * minus the time of the entity's version, so that the latest version wins. This number and the version's time are in milliseconds. Their
 * difference is not converted, but serves as nanoseconds since 1970. These starts are therefore in the first three hours of 1970. No
 * accepted span has a start in this range.
 */
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
    // A value of null becomes an empty text, which removes the value of an earlier version.
    const value = state.fields.has(name) ? (saidValue(state, name) ?? '') : undefined
    return value === undefined ? [] : [{ field, root: true, explicit: true, startNs, spanId: noSpan, value }]
  })
  if (state.root !== null) winners.push(candidateOfRoot(state.root))
  return { winners, tags: state.tags, rootSeen: true }
}

/** The earliest of several roots wins. */
const candidateOfRoot = ({ startUs, spanId }: NonNullable<EntityState['root']>): TraceCandidate => ({
  field: 'rootSpanId',
  root: true,
  explicit: true,
  startNs: BigInt(startUs) * 1000n,
  spanId,
  value: spanId,
})

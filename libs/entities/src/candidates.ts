// What a staged trace says to the other records of its trace: candidates of the propagator's join (architecture §6), stronger than those of spans, whose words it has merged.
import { noCandidates } from '@svc-server/observations/trace/join'
import type { TraceCandidate, TraceCandidates, TraceField } from '@svc-server/schema/trace-candidates'
import type { PublishedEntity } from './codec.ts'
import { type EntityState, type FieldName, saidValue } from './state.ts'

/** Of no span: times of versions, turned round, so that a later version is the smaller and wins. */
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
    // Null is said as well: what an earlier version gave is taken back.
    const value = state.fields.has(name) ? (saidValue(state, name) ?? '') : undefined
    return value === undefined ? [] : [{ field, root: true, explicit: true, startNs, spanId: noSpan, value }]
  })
  if (state.root !== null) winners.push(candidateOfRoot(state.root))
  return { winners, tags: state.tags, rootSeen: true }
}

/** The earliest one wins, whoever says it. */
const candidateOfRoot = ({ startUs, spanId }: NonNullable<EntityState['root']>): TraceCandidate => ({
  field: 'rootSpanId',
  root: true,
  explicit: true,
  startNs: BigInt(startUs) * 1000n,
  spanId,
  value: spanId,
})

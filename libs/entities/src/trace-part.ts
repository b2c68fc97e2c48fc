// The part that an observation of the legacy API sends to its trace, because the trace may belong to a different partition. The part states
// that the observation belongs to the trace. If the observation names no trace, the part also contains the values that make such a trace
// exist.
import type { EntityRecord } from '@svc-server/schema/entity'
import { type EntityIdentity, type MergedEntity, recordOf } from './codec.ts'
import { startMsOf, traceIdOf, wrapperText } from './merged.ts'
import { type EntityState, nothingSaid, saidValue } from './state.ts'

export interface PartOptions {
  /** True when the events tables are written. The observation's row in these tables depends on the trace's root. */
  readonly dual: boolean
  /** True when the events tables were already written at the observation's previous publication. */
  readonly wasDual: boolean
}

type Of = Pick<MergedEntity, 'state'>

/** Returns an empty list when the states of the traces already include the observation. */
export function partsOfTraces(
  identity: EntityIdentity,
  before: Of | null,
  after: Pick<MergedEntity, 'state' | 'versionMs'>,
  { dual, wasDual }: PartOptions,
): readonly EntityRecord[] {
  if (identity.entityType === 'trace') return []
  const parts: EntityRecord[] = []
  const partFor = (traceId: string, state: EntityState) => {
    const trace = { projectId: identity.projectId, entityType: 'trace', entityId: traceId } as const
    parts.push(recordOf(trace, dual ? 'dual' : 'legacy', { state, versionMs: 0, retired: [] }))
  }
  const lent = lentBy(identity, after)
  const lentBefore = before === null ? null : lentBy(identity, before)
  // Once the observation names a trace, the trace that displayed it until then is withdrawn.
  if (lent !== lentBefore || (lent !== null && dual && !wasDual)) {
    const by = { atUs: after.versionMs * 1000, update: true, id: identity.entityId, hash: '' }
    partFor(identity.entityId, { ...nothingSaid, fields: new Map([['wrapper', { value: lent, by }]]) })
  }
  const traceId = traceIdOf(identity, after.state)
  const isKnown = wasDual && before !== null && traceIdOf(identity, before.state) === traceId
  if (dual && lent === null && !isKnown) partFor(traceId, { ...nothingSaid, legacyChild: true })
  return parts
}

/**
 * The values that an observation without a trace contributes to the trace that has the observation's id. Null when the observation names a
 * trace.
 */
function lentBy(identity: EntityIdentity, { state }: Of): string | null {
  if (saidValue(state, 'traceId') !== null) return null
  return wrapperText({
    startMs: startMsOf(identity, state),
    name: saidValue(state, 'name'),
    environment: saidValue(state, 'environment'),
    createdMs: state.createdMs,
  })
}

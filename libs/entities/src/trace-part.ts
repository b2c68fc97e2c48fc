// Creates the record by which an observation of the legacy API changes the state of its trace. A record is needed, because the trace can be
// in a different partition than the observation. The record shows that the observation belongs to the trace. If the observation names no
// trace, its trace has the observation's id, and the record also has the values of this trace.
import type { EntityRecord } from '@svc-server/schema/entity'
import { type EntityIdentity, type MergedEntity, recordOf } from './codec.ts'
import { startMsOf, traceIdOf, wrapperText } from './merged.ts'
import { type EntityState, nothingSaid, saidValue } from './state.ts'

export interface PartOptions {
  /** True if the events tables are written. In these tables, the observation's row depends on the trace's root. */
  readonly dual: boolean
  /** True if the events tables were written at the observation's last publication. */
  readonly wasDual: boolean
}

type Of = Pick<MergedEntity, 'state'>

/** Returns an empty list if the traces' states already include the observation. */
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
  // A trace that was created for an observation is withdrawn when the observation names its trace.
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
 * An observation without a trace id belongs to a trace that has the observation's id. Returns the values that the observation gives to this
 * trace. Returns null if the observation has a trace id.
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

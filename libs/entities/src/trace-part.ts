// An observation of the legacy API changes the state of its trace through a record. This file creates the record. The owner of the
// observation's partition cannot change this state directly, because the trace can be in a different partition. The record shows that the
// observation belongs to the trace. If the observation names no trace, its trace has the observation's id. In this case, the record also
// has the values that the observation gives to this trace.
import type { EntityRecord } from '@svc-server/schema/entity'
import { type EntityIdentity, type MergedEntity, recordOf } from './codec.ts'
import { startMsOf, traceIdOf, wrapperText } from './merged.ts'
import { type EntityState, nothingSaid, saidValue } from './state.ts'

export interface PartOptions {
  /** True in write mode `dual`: the observation then also gets a row in the events tables. This row depends on the trace's root. */
  readonly dual: boolean
  /** True if the observation's last publication had the write mode `dual`. */
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
  // When an observation later names a trace, `lent` becomes null. The record passes this null to the trace with the observation's id. If
  // that trace was created only for the observation, the null withdraws the trace.
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
 * An observation without a trace id belongs to a trace that has the observation's id. For such an observation, returns the text of the
 * values that the observation gives to the trace. For an observation with a trace id, returns null.
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

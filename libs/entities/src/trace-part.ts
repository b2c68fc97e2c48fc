// What an observation of the legacy API says to its trace, which another partition may own: that it is in it, and, where it names none, that it needs one.
import type { EntityRecord } from '@svc-server/schema/entity'
import { type EntityIdentity, type MergedEntity, recordOf } from './codec.ts'
import { startMsOf, traceIdOf, wrapperText } from './merged.ts'
import { type EntityState, nothingSaid, saidValue } from './state.ts'

export interface PartOptions {
  /** The events tables are written: there the trace's root matters to the observation. */
  readonly dual: boolean
  /** They were already when it was published before. */
  readonly wasDual: boolean
}

type Of = Pick<MergedEntity, 'state'>

/** None where the traces know already. */
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
  // A trace that was lent is taken back once the observation names another.
  if (lent !== lentBefore || (lent !== null && dual && !wasDual)) {
    const by = { atUs: after.versionMs * 1000, update: true, id: identity.entityId, hash: '' }
    partFor(identity.entityId, { ...nothingSaid, fields: new Map([['wrapper', { value: lent, by }]]) })
  }
  const traceId = traceIdOf(identity, after.state)
  const isKnown = wasDual && before !== null && traceIdOf(identity, before.state) === traceId
  if (dual && lent === null && !isKnown) partFor(traceId, { ...nothingSaid, legacyChild: true })
  return parts
}

/** The trace that an observation lends that names none; null: it names one. */
function lentBy(identity: EntityIdentity, { state }: Of): string | null {
  if (saidValue(state, 'traceId') !== null) return null
  return wrapperText({
    startMs: startMsOf(identity, state),
    name: saidValue(state, 'name'),
    environment: saidValue(state, 'environment'),
    createdMs: state.createdMs,
  })
}

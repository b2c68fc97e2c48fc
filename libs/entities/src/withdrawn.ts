// If an entity's trace or project is deleted, the entity's state keeps only the id of the trace. Later events that name no trace still need
// this id. Apart from this id, the remaining state is empty, and an entity with this state has no row. When the merger publishes this
// state, the state replaces all earlier values of the entity.
import type { EntityIdentity, MergedEntity } from './codec.ts'
import { traceIdOf } from './merged.ts'
import { type EntityState, joinStates, nothingSaid } from './state.ts'

/** Returns the id of the entity's trace. For a trace, this id is the trace's own id. */
export const ownTraceIdOf = (identity: EntityIdentity, state: EntityState): string =>
  identity.entityType === 'trace' ? identity.entityId : traceIdOf(identity, state)

function remainderOf({ entityType }: EntityIdentity, { fields }: EntityState): EntityState {
  const traceId = entityType === 'trace' ? undefined : fields.get('traceId')
  return { ...nothingSaid, fields: new Map(traceId === undefined ? [] : [['traceId', traceId]]) }
}

/**
 * Returns the state that replaces the published state of a deleted entity. Returns null if nothing was published and the replacement would
 * be empty. Also returns null if the published state contains only the trace id. `state` includes the newest records.
 */
export function withdrawn(identity: EntityIdentity, before: MergedEntity | null, state: EntityState): MergedEntity | null {
  const remainder = remainderOf(identity, state)
  if (before === null && remainder.fields.size === 0) return null
  if (before !== null && before.retired.length === 0 && joinStates(remainder, before.state) === remainder) {
    // If a different event now determines the trace id, the merger must publish the state again.
    if (before.state.fields.get('traceId')?.by === state.fields.get('traceId')?.by) return null
  }
  return { state: remainder, versionMs: (before?.versionMs ?? 0) + 1, retired: [] }
}

// If the trace or the project of an entity is deleted, only the id of the trace that the entity has named remains. Later events of the
// entity that name no trace then still belong to that trace. The remaining state has no content and no row. When the merger publishes this
// state, it replaces all former values.
import type { EntityIdentity, MergedEntity } from './codec.ts'
import { traceIdOf } from './merged.ts'
import { type EntityState, joinStates, nothingSaid } from './state.ts'

/** Returns the id of the trace to which the entity belongs; for a trace, its own id. */
export const ownTraceIdOf = (identity: EntityIdentity, state: EntityState): string =>
  identity.entityType === 'trace' ? identity.entityId : traceIdOf(identity, state)

function remainderOf({ entityType }: EntityIdentity, { fields }: EntityState): EntityState {
  const traceId = entityType === 'trace' ? undefined : fields.get('traceId')
  return { ...nothingSaid, fields: new Map(traceId === undefined ? [] : [['traceId', traceId]]) }
}

/**
 * Returns the state that replaces the published state of an entity. Returns null if nothing was published and the replacement would be
 * empty, or if the published state already has only the id of the trace. `state` includes the newest records.
 */
export function withdrawn(identity: EntityIdentity, before: MergedEntity | null, state: EntityState): MergedEntity | null {
  const remainder = remainderOf(identity, state)
  if (before === null && remainder.fields.size === 0) return null
  if (before !== null && before.retired.length === 0 && joinStates(remainder, before.state) === remainder) {
    // If the event that now determines the trace id arrived after the publication, the state must be published again.
    if (before.state.fields.get('traceId')?.by === state.fields.get('traceId')?.by) return null
  }
  return { state: remainder, versionMs: (before?.versionMs ?? 0) + 1, retired: [] }
}

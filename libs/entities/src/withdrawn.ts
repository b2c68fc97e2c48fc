// When the trace or project of an entity is deleted, only the id of the trace that the entity named remains. Later events of the entity
// that name no trace still belong to that trace. The remaining state has no content and no row. When this state is published, it replaces
// all former values.
import type { EntityIdentity, MergedEntity } from './codec.ts'
import { traceIdOf } from './merged.ts'
import { type EntityState, joinStates, nothingSaid } from './state.ts'

/** The id of the trace that the entity belongs to. For a trace, its own id. */
export const ownTraceIdOf = (identity: EntityIdentity, state: EntityState): string =>
  identity.entityType === 'trace' ? identity.entityId : traceIdOf(identity, state)

function remainderOf({ entityType }: EntityIdentity, { fields }: EntityState): EntityState {
  const traceId = entityType === 'trace' ? undefined : fields.get('traceId')
  return { ...nothingSaid, fields: new Map(traceId === undefined ? [] : [['traceId', traceId]]) }
}

/**
 * Returns the state that replaces the published state of an entity. Null when nothing was published and the replacement would be empty, or
 * when the published state already consists of only the trace's id. `state` includes the newest records.
 */
export function withdrawn(identity: EntityIdentity, before: MergedEntity | null, state: EntityState): MergedEntity | null {
  const remainder = remainderOf(identity, state)
  if (before === null && remainder.fields.size === 0) return null
  if (before !== null && before.retired.length === 0 && joinStates(remainder, before.state) === remainder) {
    // The event that now decides the trace id may have arrived after the publication. Then the state is published again.
    if (before.state.fields.get('traceId')?.by === state.fields.get('traceId')?.by) return null
  }
  return { state: remainder, versionMs: (before?.versionMs ?? 0) + 1, retired: [] }
}

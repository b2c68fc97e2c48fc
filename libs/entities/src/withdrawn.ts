// The remains of an entity whose trace or project was deleted: the trace that it named, so that later events without
// a trace still belong to it. The remains have no content and no row. Publishing them replaces all former values.
import type { EntityIdentity, MergedEntity } from './codec.ts'
import { traceIdOf } from './merged.ts'
import { type EntityState, joinStates, nothingSaid } from './state.ts'

/** The trace that an entity belongs to, or is. */
export const ownTraceIdOf = (identity: EntityIdentity, state: EntityState): string =>
  identity.entityType === 'trace' ? identity.entityId : traceIdOf(identity, state)

function remainderOf({ entityType }: EntityIdentity, { fields }: EntityState): EntityState {
  const traceId = entityType === 'trace' ? undefined : fields.get('traceId')
  return { ...nothingSaid, fields: new Map(traceId === undefined ? [] : [['traceId', traceId]]) }
}

/**
 * Returns the replacement to publish for an entity. Null when nothing was published and the replacement would carry
 * no information, or when the published state already carries only the trace. `state` includes the newest records.
 */
export function withdrawn(identity: EntityIdentity, before: MergedEntity | null, state: EntityState): MergedEntity | null {
  const remainder = remainderOf(identity, state)
  if (before === null && remainder.fields.size === 0) return null
  if (before !== null && before.retired.length === 0 && joinStates(remainder, before.state) === remainder) {
    // The first event that names the trace may have arrived only now, so it is published again.
    if (before.state.fields.get('traceId')?.by === state.fields.get('traceId')?.by) return null
  }
  return { state: remainder, versionMs: (before?.versionMs ?? 0) + 1, retired: [] }
}

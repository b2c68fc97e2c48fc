// What is left of an entity whose trace or project was deleted: which trace it named, so that what comes later and names none is known to be of it.
// It has no content and no row; published, it takes the place of all that was said.
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
 * What is to be published in place of an entity; null: nothing of it was published, and nothing would be known by it, or nothing else is known already.
 * `state`: with what came last.
 */
export function withdrawn(identity: EntityIdentity, before: MergedEntity | null, state: EntityState): MergedEntity | null {
  const remainder = remainderOf(identity, state)
  if (before === null && remainder.fields.size === 0) return null
  if (before !== null && before.retired.length === 0 && joinStates(remainder, before.state) === remainder) {
    // Who said it first may have come only now: then it is said again.
    if (before.state.fields.get('traceId')?.by === state.fields.get('traceId')?.by) return null
  }
  return { state: remainder, versionMs: (before?.versionMs ?? 0) + 1, retired: [] }
}

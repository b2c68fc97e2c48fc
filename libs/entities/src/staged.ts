import type { EntityIdentity } from './codec.ts'
import { traceIdOf } from './merged.ts'
import type { EntityState } from './state.ts'

/** A trace of OTel spans is not staged, because its spans are staged instead. */
export const isStaged = ({ entityType }: Pick<EntityIdentity, 'entityType'>, state: EntityState): boolean =>
  entityType === 'observation' || state.legacy || state.legacyChild || state.fields.has('wrapper')

export const stagedTraceId = (identity: Pick<EntityIdentity, 'entityType' | 'entityId'>, state: EntityState): string =>
  identity.entityType === 'trace' ? identity.entityId : traceIdOf(identity, state)

// Determines the parent of a staged entity. The result must equal the parent in the entity's row in the events tables.
import type { PublishedEntity } from './codec.ts'
import { startMsOf, traceIdOf } from './merged.ts'
import { virtualRootId } from './rows/virtual-root.ts'
import { saidValue } from './state.ts'

/** If an observation has no parent, `parentId` is the virtual root, which represents the trace's root. */
export function linkOfEntity(entity: PublishedEntity) {
  const { entityType, entityId, state } = entity
  const startUs = startMsOf(entity, state) * 1000
  if (entityType === 'trace') return { index: 0, id: virtualRootId(entityId), parentId: '', rank: 2, startUs }
  const parentId = saidValue(state, 'parentId') || virtualRootId(traceIdOf(entity, state))
  return { index: 0, id: entityId, parentId, rank: 2, startUs }
}

// Determines the parent of a staged entity. The entity's row in the events tables must have the same parent. There is one exception: if an
// observation without a parent was filled with a root span, the root span is the parent in the row.
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

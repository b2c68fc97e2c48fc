// Handles DELETE /api/public/traces and /traces/{traceId}. Before the response, the handler records the deletion and appends its command to
// the log. A client can also delete a trace that does not exist yet: the server discards data of a deleted trace that arrives later.
import { maxIdLength } from '@svc-server/api/fields/fields'
import * as trace from '@svc-server/api/trace/operations'
import type { Caller } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'

async function deleteTraces({ projectId, actor }: Caller, given: readonly string[], deps: Dependencies): Promise<void> {
  // Leaves out ids that no trace can have.
  const traceIds = given.filter(id => id !== '' && id.length <= maxIdLength)
  await deps.deletions.deleteTraces({ projectId, actor, traceIds })
  deps.mediaUpkeep.soon()
  deps.metrics.deletions.inc({ what: 'trace' }, traceIds.length)
}

export const remove = handle(trace.remove, async ({ project, params: { traceId } }, deps) => {
  await deleteTraces(project, [traceId], deps)
  return reply(200, { message: 'Trace deleted successfully' })
})

export const deleteMultiple = handle(trace.deleteMultiple, async ({ project, body: { traceIds } }, deps) => {
  await deleteTraces(project, traceIds, deps)
  return reply(200, { message: 'Traces deleted successfully' })
})

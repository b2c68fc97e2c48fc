// Experiments and their items, read from spans (contract §17.5).
import * as experiments from '@svc-server/api/experiments/operations'
import { listExperimentItems, listExperiments, streamExperimentItems } from '@svc-server/query/experiments'
import { handle, JsonText, reply } from '../../request/handler.ts'

export const list = handle(
  experiments.list,
  async ({ project: { projectId }, query, signal }, deps) => {
    const page = await listExperiments(deps.columnStore, { projectId, query, signal })
    // The handler sends JSON text, because `listExperiments` returns a score as `object`, and the type of the response does not allow this.
    return reply(200, new JsonText(JSON.stringify(page)))
  },
  { queue: 'columnStore' },
)

export const listItems = handle(
  experiments.listItems,
  async ({ project: { projectId }, query, signal }, deps) => {
    const page = await listExperimentItems(deps.columnStore, { projectId, query, signal })
    return reply(200, new JsonText(JSON.stringify(page)))
  },
  {
    queue: 'columnStore',
    stream: ({ project: { projectId }, query }, tools, deps) => streamExperimentItems(deps.columnStore, { projectId, query, ...tools }),
  },
)

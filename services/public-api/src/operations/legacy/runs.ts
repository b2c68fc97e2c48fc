// Operations on dataset runs and their items (contract §20.8). To delete a run, the API first writes a tombstone for each item to the log,
// and then deletes the run's row. With this order, a failed deletion can be repeated.
import * as legacy from '@svc-server/api/legacy/runs'
import { AppError } from '@svc-server/errors'
import { topicNames } from '@svc-server/modes/names'
import { listRunItems, runItemsOfRun } from '@svc-server/query/legacy'
import { deleteDatasetRun, findDatasetRun, type ListedDatasetRun, listDatasetRuns } from '@svc-server/relational/dataset-runs'
import type { Dataset } from '@svc-server/relational/datasets'
import { inProject } from '@svc-server/relational/tenancy'
import { encodeRunItem, type RunItem, runItemKey } from '@svc-server/schema/run-item'
import type { Acceptance } from '../../events/acceptance.ts'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { type Handler, handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { decodedAgain, requireDataset } from '../datasets/datasets.ts'

const queue = { queue: 'columnStore' } as const

const viewOf = ({ createdAt, updatedAt, ...run }: ListedDatasetRun, { name }: Pick<Dataset, 'name'>) => ({
  ...{ ...run, datasetName: name },
  ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
})

interface Named {
  readonly name: string
  readonly runName: string
}

/** Throws `not_found`. */
async function requireRun({ relational }: Dependencies, projectId: string, { name, runName }: Named) {
  const project = inProject(relational, projectId)
  const dataset = await requireDataset(project, name)
  const ofName = (text: string) => findDatasetRun(project, { datasetId: dataset.id, name: text })
  const run = (await ofName(runName)) ?? (await ofName(decodedAgain(runName)))
  if (run === undefined) throw new AppError('not_found', 'Dataset run not found')
  return { project, dataset, run, of: { datasetId: dataset.id, runId: run.id } }
}

type Item = Awaited<ReturnType<typeof runItemsOfRun>>[number]

/** Returns a record that hides the item and has none of the item's contents. */
function tombstone(acceptance: Acceptance, { datasetId, createdAt, ...run }: ListedDatasetRun, item: Item): RunItem {
  return {
    ...acceptance,
    ...{ deleted: true, id: item.id, datasetId, datasetRunId: run.id, datasetRunName: run.name },
    ...{ datasetRunDescription: null, datasetRunMetadata: null, datasetRunCreatedAtMs: createdAt.getTime() },
    ...{ datasetItemId: item.datasetItemId, datasetItemVersionMs: null, datasetItemInput: null, datasetItemExpectedOutput: null },
    ...{ datasetItemMetadata: null, traceId: item.traceId, observationId: item.observationId, error: null },
    createdAtMs: Date.parse(item.createdAt),
  }
}

/** Records per append. */
const itemsAtOnce = 1_000

async function deleteItems({ append }: Dependencies, tombstones: readonly RunItem[]): Promise<void> {
  for (let at = 0; at < tombstones.length; at += itemsAtOnce) {
    const some = tombstones.slice(at, at + itemsAtOnce)
    await append(
      topicNames.runItems,
      some.map(item => ({ key: Buffer.from(runItemKey(item)), value: encodeRunItem(item) })),
    )
  }
}

export const legacyRuns: readonly Handler[] = [
  handle(
    legacy.listRunItems,
    async ({ project: { projectId }, query, signal }, { relational, columnStore }) => {
      const { datasetId, runName, ...page } = query
      const run = await findDatasetRun(inProject(relational, projectId), { datasetId, name: runName })
      if (run === undefined) throw new AppError('not_found', 'Dataset run not found')
      return reply(200, await listRunItems(columnStore, { projectId, query: { ...page, datasetId, runId: run.id }, signal }))
    },
    queue,
  ),
  handle(legacy.listRuns, async ({ project: { projectId }, params, query }, { relational }) => {
    const project = inProject(relational, projectId)
    const dataset = await requireDataset(project, params.name)
    return reply(
      200,
      pageBody(query, await listDatasetRuns(project, dataset.id, query), run => viewOf(run, dataset)),
    )
  }),
  handle(
    legacy.getRun,
    async ({ project: { projectId }, params, signal }, deps) => {
      const { dataset, run, of } = await requireRun(deps, projectId, params)
      const datasetRunItems = await runItemsOfRun(deps.columnStore, { projectId, query: of, signal })
      return reply(200, { ...viewOf(run, dataset), datasetRunItems })
    },
    queue,
  ),
  handle(
    legacy.deleteRun,
    async ({ project: caller, params, terms, signal }, deps) => {
      const { project, run, of } = await requireRun(deps, caller.projectId, params)
      const items = await runItemsOfRun(deps.columnStore, { projectId: caller.projectId, query: of, signal })
      await deleteItems(
        deps,
        items.map(item => tombstone(terms.acceptance, run, item)),
      )
      await deleteDatasetRun(project, authorOf(caller, deps), run)
      return reply(200, { message: 'Dataset run successfully deleted' })
    },
    queue,
  ),
]

// The routes for datasets that the API had before v2 (contract §20.8). Their responses also contain the dataset's items and the names of
// the dataset's runs. In a list of datasets, only the ids of the items are given.
import * as datasets from '@svc-server/api/datasets/operations'
import { AppError } from '@svc-server/errors'
import { listDatasetItems, listItemIds } from '@svc-server/relational/dataset-item-pages'
import { listDatasets, listRunNames } from '@svc-server/relational/datasets'
import { inProject } from '@svc-server/relational/tenancy'
import { handle, JsonText, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { itemsText } from '../dataset-items/view.ts'
import { requireDataset, upsert, viewOf } from './datasets.ts'

/** Maximum number of items in a response of `formerGet`. Clients must read the items of a larger dataset page by page. */
const maxItems = 10_000

export const formerList = handle(datasets.formerList, async ({ project: { projectId }, query }, { relational }) => {
  const project = inProject(relational, projectId)
  const page = await listDatasets(project, query)
  const ids = page.rows.map(({ id }) => id)
  const [items, runs] = [await listItemIds(project, ids), await listRunNames(project, ids)]
  const view = (dataset: (typeof page.rows)[number]) => ({
    ...viewOf(dataset),
    items: items.get(dataset.id) ?? [],
    runs: runs.get(dataset.id) ?? [],
  })
  return reply(200, pageBody(query, page, view))
})

export const formerGet = handle(datasets.formerGet, async ({ project: { projectId }, params: { name }, origin }, { relational, media }) => {
  const project = inProject(relational, projectId)
  const dataset = await requireDataset(project, name)
  const { rows, totalItems } = await listDatasetItems(project, { datasetId: dataset.id }, { page: 1, limit: maxItems })
  if (totalItems > maxItems)
    throw new AppError('bad_request', `The dataset has ${totalItems} items: list them with GET /api/public/dataset-items.`)
  const runs = (await listRunNames(project, [dataset.id])).get(dataset.id) ?? []
  const head = JSON.stringify({ ...viewOf(dataset), runs })
  const items = await itemsText(project, rows, { media, origin })
  return reply(200, new JsonText(`${head.slice(0, -1)},"items":${items}}`))
})

export const formerCreate = handle(datasets.formerCreate, async ({ project, body }, deps) =>
  reply(200, { ...viewOf(await upsert(project, body, deps)), items: [], runs: [] }),
)

// Items of datasets (contract §18.2). Every write creates a version, and a read with a time returns the version of that time.
import * as datasetItems from '@svc-server/api/dataset-items/operations'
import { AppError } from '@svc-server/errors'
import { listDatasetItems } from '@svc-server/relational/dataset-item-pages'
import { type CheckItem, deleteDatasetItem, getDatasetItem, upsertDatasetItem } from '@svc-server/relational/dataset-items'
import { findDataset } from '@svc-server/relational/datasets'
import type { CheckMany } from '@svc-server/relational/many-dataset-items'
import { inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, JsonText, reply } from '../../request/handler.ts'
import { pageMeta } from '../../request/pages.ts'
import { toMicrosecondIso } from '../../request/times.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { itemsText, itemText } from './view.ts'

const noDataset = () => new AppError('not_found', 'Dataset not found')
const noItem = () => new AppError('not_found', 'Dataset item not found')

const violationOf = (messages: readonly string[]) => new AppError('bad_request', `Dataset item validation failed: ${messages.join('; ')}.`)

/** Throws `bad_request` for an item that violates the schemas of its dataset. */
export const checkIn =
  ({ payloads }: Dependencies, owner: string): CheckItem =>
  async ({ inputSchema, expectedOutputSchema }, item) => {
    if (inputSchema === null && expectedOutputSchema === null) return
    const violations = await payloads.check({ kind: 'items', inputSchema, expectedOutputSchema, items: [item] }, owner)
    if (violations.length === 0) return
    throw violationOf(violations.map(({ message }) => message))
  }

/**
 * If a check of all items finds violations, the items are checked again in groups of at most this size. A check stops at the item with the
 * 20th violation (`maxViolations`), and an item has at most two violations. A check of ten items therefore names every invalid item.
 */
const surelyWhole = 10

/** Checks many items, by id. */
export const checkManyIn =
  ({ payloads }: Dependencies, owner: string): CheckMany =>
  async ({ inputSchema, expectedOutputSchema }, items) => {
    const found = new Map<string, AppError>()
    if (inputSchema === null && expectedOutputSchema === null) return found
    const check = (some: typeof items) => payloads.check({ kind: 'items', inputSchema, expectedOutputSchema, items: some }, owner)
    if ((await check(items)).length === 0) return found
    for (let at = 0; at < items.length; at += surelyWhole) {
      const violations = await check(items.slice(at, at + surelyWhole))
      for (const [id, of] of Map.groupBy(violations, violation => violation.id))
        found.set(id, violationOf(of.map(({ message }) => message)))
    }
    return found
  }

export const create = handle(datasetItems.create, async ({ project, body, origin }, deps) => {
  const { projectId } = project
  const own = inProject(deps.relational, projectId)
  const item = await upsertDatasetItem(own, authorOf(project, deps), body, checkIn(deps, projectId))
  if (item === undefined) throw noDataset()
  return reply(200, new JsonText(await itemText(own, item, { media: deps.media, origin })))
})

export const get = handle(datasetItems.get, async ({ project: { projectId }, params: { id }, origin }, { relational, media }) => {
  const project = inProject(relational, projectId)
  const item = await getDatasetItem(project, id)
  if (item === undefined) throw noItem()
  return reply(200, new JsonText(await itemText(project, item, { media, origin })))
})

export const list = handle(datasetItems.list, async ({ project: { projectId }, query, origin }, { relational, media }) => {
  const { datasetName, sourceTraceId, sourceObservationId, version, ...page } = query
  if (version !== undefined && datasetName === undefined)
    throw new InvalidBody(
      refused('Also give datasetName. The items of this dataset are read as they were at the time that version states.', ['version']),
    )
  const project = inProject(relational, projectId)
  const dataset = datasetName === undefined ? undefined : await findDataset(project, datasetName)
  if (datasetName !== undefined && dataset === undefined) throw noDataset()
  const filter = {
    ...(dataset !== undefined && { datasetId: dataset.id }),
    ...(sourceTraceId !== undefined && { sourceTraceId }),
    ...(sourceObservationId !== undefined && { sourceObservationId }),
    ...(version !== undefined && { at: toMicrosecondIso(version) }),
  }
  const { rows, totalItems } = await listDatasetItems(project, filter, page)
  const data = await itemsText(project, rows, { media, origin })
  return reply(200, new JsonText(`{"data":${data},"meta":${JSON.stringify(pageMeta(page, totalItems))}}`))
})

export const remove = handle(datasetItems.remove, async ({ project, params: { id } }, deps) => {
  if (!(await deleteDatasetItem(inProject(deps.relational, project.projectId), authorOf(project, deps), id))) throw noItem()
  deps.mediaUpkeep.soon()
  return reply(200, { message: 'Dataset item successfully deleted' })
})

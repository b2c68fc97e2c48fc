// Lists dataset items page by page. For the current items of a whole dataset, item-counts.ts finds the start of a page, so PostgreSQL
// examines only a few rows, whatever the page's position.
import { AppError } from '@svc-server/errors'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import type { Page, PageOf } from '../tenancy/pages.ts'
import { type Expression, sql } from '../tenancy/sql.ts'
import { itemsFrom, type Place, placeOf } from './item-counts.ts'
import { type DatasetItem, versions, withStatus } from './items.ts'

export interface DatasetItemFilter {
  readonly datasetId?: string
  readonly sourceTraceId?: string
  readonly sourceObservationId?: string
  /** Time of the dataset's state (ISO 8601 with Z); the current state by default. */
  readonly at?: string
}

type Reading = Pick<ProjectRows, 'select'>

/** A hundred items of maximum size would take gigabytes of memory. */
const maxPageBytes = 64_000_000
const lengthOf = (column: string) => sql`coalesce(octet_length(${sql.ref(`dataset_items.${column}`)}::text), 0)`
const bytesOf = sql<string>`${lengthOf('input')} + ${lengthOf('expected_output')} + ${lengthOf('metadata')}`

/**
 * An index of the table contains only current items. PostgreSQL uses this index only if the conditions here equal the conditions of the
 * index.
 */
function activeItems(rows: Reading, { datasetId, sourceTraceId, sourceObservationId, at }: DatasetItemFilter) {
  let query = rows
    .select('dataset_items')
    .where('dataset_items.is_deleted', '=', sql.lit(false))
    .where('dataset_items.status', '=', sql.lit('ACTIVE'))
  if (at === undefined) query = query.where('dataset_items.valid_to', 'is', null)
  else {
    const time = sql<Date>`${at}`
    query = query
      .where('dataset_items.valid_from', '<=', time)
      .where(({ eb, or }) => or([eb('dataset_items.valid_to', 'is', null), eb('dataset_items.valid_to', '>', time)]))
  }
  if (datasetId !== undefined) query = query.where('dataset_items.dataset_id', '=', datasetId)
  if (sourceTraceId !== undefined) query = query.where('dataset_items.source_trace_id', '=', sourceTraceId)
  if (sourceObservationId !== undefined) query = query.where('dataset_items.source_observation_id', '=', sourceObservationId)
  return query
}

type Keys = Expression<{ id: string; valid_from: Date }>

/**
 * PostgreSQL reads the keys of current items from an index alone if the filter has at most one id. PostgreSQL never reads the contents of
 * the rows that `offset` skips.
 */
export const keysOfPage = (rows: Reading, filter: DatasetItemFilter, { page, limit }: Page): Keys =>
  activeItems(rows, filter)
    .select(['dataset_items.id', 'dataset_items.valid_from'])
    .orderBy('dataset_items.created_at', 'desc')
    .orderBy('dataset_items.id')
    .limit(limit)
    .offset((page - 1) * limit)

export const keysAt = (rows: Reading, datasetId: string, { from, skip }: Place, limit: number): Keys =>
  sql`(select id, valid_from from ${itemsFrom(rows, datasetId, from, skip + limit)} as placed
    order by created_at desc, id limit ${limit} offset ${skip})`

/** Selects the items with these keys, in the same order as `keysOfPage`. */
export const itemsOf = (rows: Reading, keys: Keys) =>
  versions(rows)
    .innerJoin(sql<{ id: string; valid_from: Date }>`(${keys})`.as('keys'), join =>
      join.onRef('keys.id', '=', 'dataset_items.id').onRef('keys.valid_from', '=', 'dataset_items.valid_from'),
    )
    .orderBy('dataset_items.created_at', 'desc')
    .orderBy('dataset_items.id')

async function read(project: InProject, keys: Keys, maxBytes: number): Promise<readonly DatasetItem[]> {
  const ordered = itemsOf(project, keys)
  const sizes = await ordered.clearSelect().select(bytesOf.as('bytes')).execute()
  const bytes = sizes.reduce((sum, row) => sum + Number(row.bytes), 0)
  if (bytes > maxBytes)
    throw new AppError(
      'bad_request',
      `The ${sizes.length} items of the page have ${bytes} bytes, but a response can have at most ${maxBytes}: use a lower limit.`,
    )
  return (await ordered.execute()).map(withStatus)
}

/** True if no item version of the dataset began after the time `at`. */
async function isCurrent(project: InProject, datasetId: string, at: string | undefined): Promise<boolean> {
  if (at === undefined) return true
  const later = project.select('dataset_items').select('id').where('dataset_id', '=', datasetId)
  return (await later.where('valid_from', '>', sql<Date>`${at}`).limit(1).executeTakeFirst()) === undefined
}

/** Newest first. Throws `bad_request` if the page is too large. */
export async function listDatasetItems(
  project: InProject,
  filter: DatasetItemFilter,
  page: Page,
  maxBytes = maxPageBytes,
): Promise<PageOf<DatasetItem>> {
  const { datasetId, sourceTraceId, sourceObservationId, at } = filter
  if ([sourceTraceId, sourceObservationId].some(id => id !== undefined && !canBeId(id))) return { rows: [], totalItems: 0 }
  const offset = (page.page - 1) * page.limit
  const isWhole = datasetId !== undefined && sourceTraceId === undefined && sourceObservationId === undefined
  if (isWhole && (await isCurrent(project, datasetId, at))) {
    const place = await placeOf(project, datasetId, offset)
    const { totalItems } = place
    const rows = offset >= totalItems ? [] : await read(project, keysAt(project, datasetId, place, page.limit), maxBytes)
    // If the dataset has changed during the read, these rows are discarded, and the code below reads the state at `at`.
    if (await isCurrent(project, datasetId, at)) return { rows, totalItems }
  }
  const counting = activeItems(project, filter).select(sql<string>`count(*)::text`.as('count'))
  const totalItems = Number((await counting.executeTakeFirstOrThrow()).count)
  return { rows: offset >= totalItems ? [] : await read(project, keysOfPage(project, filter, page), maxBytes), totalItems }
}

/** Ids of each dataset's active items, newest first. */
export async function listItemIds(project: InProject, datasetIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  if (datasetIds.length === 0) return new Map()
  const rows = await project
    .select('dataset_items')
    .select(['id', 'dataset_id'])
    .where('dataset_id', 'in', datasetIds)
    .where('valid_to', 'is', null)
    .where('is_deleted', '=', false)
    .where('status', '=', 'ACTIVE')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return new Map([...Map.groupBy(rows, row => row.dataset_id)].map(([id, items]) => [id, items.map(item => item.id)]))
}

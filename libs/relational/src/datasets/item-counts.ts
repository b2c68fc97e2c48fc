// Finds where a page of dataset items begins, without counting all earlier items. A dataset's ordered items are divided into ranges, and a
// table has the number of items in each range. When items change, a trigger (0019-dataset-item-counts) adds a row to this table. The row
// states how much the number of items in a range has changed. This module divides large ranges, and combines all rows of a range into one
// row.
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { sql } from '../tenancy/sql.ts'

type Reading = Pick<ProjectRows, 'select'>

/** A range with more than twice this number of items is divided. */
const rangeItems = 1000
/**
 * If a dataset has more rows in `dataset_item_counts` than its number of ranges plus this number, `divideRanges` combines the rows of each
 * range into one row.
 */
const maxParts = 200

/** `createdAt` is a string, because a Date cannot represent microseconds. */
export interface Position {
  readonly createdAt: string
  readonly id: string
}

export interface Place {
  readonly totalItems: number
  /**
   * Start of the counted range of items that contains the item at the requested offset. If there is no item at the offset, `from` is the
   * start of the last range. If the dataset has no ranges, `from` is a position before all items.
   */
  readonly from: Position
  /** Number of items between `from` and the requested offset. */
  readonly skip: number
}

/** The condition must equal the condition of the index, so that PostgreSQL uses the index. */
const activeOf = (rows: Reading, datasetId: string) =>
  rows
    .select('dataset_items')
    .select(['dataset_items.id', 'dataset_items.valid_from', 'dataset_items.created_at'])
    .where('dataset_items.is_deleted', '=', sql.lit(false))
    .where('dataset_items.status', '=', sql.lit('ACTIVE'))
    .where('dataset_items.valid_to', 'is', null)
    .where('dataset_items.dataset_id', '=', datasetId)

/**
 * Selects at most `count` items with the position's creation time, and at most `count` items that were created earlier. The result is
 * unsorted. The index supports both selections.
 */
export function itemsFrom(rows: Reading, datasetId: string, { createdAt, id }: Position, count: number) {
  const time = sql<Date>`${createdAt}`
  const same = activeOf(rows, datasetId).where('dataset_items.created_at', '=', time).where('dataset_items.id', '>=', id)
  const earlier = activeOf(rows, datasetId).where('dataset_items.created_at', '<', time)
  const ofSame = same.orderBy('dataset_items.id').limit(count)
  const ofEarlier = earlier.orderBy('dataset_items.created_at', 'desc').orderBy('dataset_items.id').limit(count)
  return sql<{ id: string; valid_from: Date; created_at: Date }>`((${ofSame}) union all (${ofEarlier}))`
}

const rangesOf = (rows: Reading, datasetId: string) =>
  rows
    .select('dataset_item_counts')
    .select(['from_created_at', 'from_id', sql<string>`sum(items)`.as('items'), sql<string>`count(*)`.as('parts')])
    .where('dataset_id', '=', datasetId)
    .groupBy(['from_created_at', 'from_id'])

/** Finds the range that contains an offset, and returns whether `divideRanges` should be called. */
export function rangeAt(rows: Reading, datasetId: string, offset: number) {
  const placed = sql<{ total: string; before: string; created_at: string; from_id: string; crowded: boolean }>`(
    select total::text, before::text, from_created_at::text as created_at, from_id,
      parts > ranges + ${sql.lit(maxParts)} or largest > ${sql.lit(2 * rangeItems)} as crowded
    from (
      select from_created_at, from_id, sum(items) over () as total, max(items) over () as largest, sum(parts) over () as parts,
        count(*) over () as ranges, sum(items) over (order by from_created_at desc, from_id) - items as before
      from (${rangesOf(rows, datasetId)}) as ranges
    ) as placed
    where before <= ${offset} order by from_created_at, from_id desc limit 1)`
  return rows
    .select('datasets')
    .innerJoin(placed.as('placed'), join => join.onTrue())
    .select(['placed.total', 'placed.before', 'placed.created_at', 'placed.from_id', 'placed.crowded'])
    .where('datasets.id', '=', datasetId)
}

export async function placeOf(project: InProject, datasetId: string, offset: number): Promise<Place> {
  let found = await rangeAt(project, datasetId, offset).executeTakeFirst()
  if (found?.crowded && (await divideRanges(project, datasetId))) found = await rangeAt(project, datasetId, offset).executeTakeFirst()
  if (found === undefined) return { totalItems: 0, from: { createdAt: 'infinity', id: '' }, skip: 0 }
  return {
    totalItems: Number(found.total),
    from: { createdAt: found.created_at, id: found.from_id },
    skip: offset - Number(found.before),
  }
}

/** Called after many items were written. Divides the dataset's large ranges, so that the next read is fast. */
export async function keepRangesSmall(project: InProject, datasetId: string): Promise<void> {
  await placeOf(project, datasetId, 0)
}

interface Range {
  readonly from: Position
  readonly items: number
}

async function divided(rows: ProjectRows, datasetId: string, { from, items }: Range, size: number): Promise<readonly Range[]> {
  if (items <= 2 * size) return items === 0 ? [] : [{ from, items }]
  const numbered = sql<{ created_at: string; id: string; at: string }>`(
    select created_at::text as created_at, id, at::text as at
    from (
      select created_at, id, row_number() over (order by created_at desc, id) - 1 as at
      from ${itemsFrom(rows, datasetId, from, items)} as placed
    ) as numbered
    where at < ${items} and at % ${sql.lit(size)} = 0)`
  const begins = await rows
    .select('datasets')
    .innerJoin(numbered.as('numbered'), join => join.onTrue())
    .select(['numbered.created_at as createdAt', 'numbered.id', 'numbered.at'])
    .where('datasets.id', '=', datasetId)
    .execute()
  return begins.map(({ createdAt, id, at }) => ({
    from: at === '0' ? from : { createdAt, id },
    items: Math.min(size, items - Number(at)),
  }))
}

/**
 * Divides each range with more than twice `size` items into smaller ranges. If a range has several count rows, combines them into one row.
 * If another transaction is changing the dataset, the counts of that other transaction are not visible yet. The function then changes
 * nothing and returns false.
 */
export const divideRanges = (project: InProject, datasetId: string, size = rangeItems): Promise<boolean> =>
  project.unaudited(async rows => {
    const dataset = rows.select('datasets').select('id').where('id', '=', datasetId)
    if ((await dataset.forUpdate().skipLocked().executeTakeFirst()) === undefined) return false
    const found = await rangesOf(rows, datasetId).select(sql<string>`from_created_at::text`.as('createdAt')).execute()
    const total = found.reduce((sum, { items }) => sum + Number(items), 0)
    // After deletions, the ranges can contain so few items that far fewer ranges would be enough. All ranges are then replaced.
    const isSparse = found.length > 16 + (4 * total) / size
    const whole = [{ createdAt: 'infinity', from_id: '', items: total }]
    const uneven = found.filter(({ parts, items }) => Number(parts) > 1 || Number(items) > 2 * size)
    const made: (readonly Range[])[] = []
    for (const { createdAt, from_id, items } of isSparse ? whole : uneven) {
      const counts = rows.delete('dataset_item_counts').where('dataset_id', '=', datasetId)
      const ofRange = counts.where('from_created_at', '=', sql<Date>`${createdAt}`).where('from_id', '=', from_id)
      await (isSparse ? counts : ofRange).execute()
      made.push(await divided(rows, datasetId, { from: { createdAt, id: from_id }, items: Number(items) }, size))
    }
    const inserted = made.flat().map(({ from, items }) => ({
      ...{ dataset_id: datasetId, from_created_at: sql<Date>`${from.createdAt}`, from_id: from.id, items },
    }))
    if (inserted.length > 0) await rows.insert('dataset_item_counts', inserted as never).execute()
    return true
  })

// Writes many dataset items with only a few statements. The result is the same as that of one call of `upsertDatasetItem` per item.
import { randomUUID } from 'node:crypto'
import { AppError, isAppError } from '@svc-server/errors'
import { mediaReferencesOf } from '../media/references.ts'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { sql } from '../tenancy/sql.ts'
import { keepRangesSmall } from './item-counts.ts'
import {
  audited,
  type CheckItem,
  type Contents,
  current,
  type DatasetItem,
  type DatasetItemChange,
  datasetsOf,
  merged,
  upsertDatasetItem,
  versionRow,
  withStatus,
} from './items.ts'
import type { CheckedItem, DatasetSchemas } from './repository.ts'

export type Outcome = { readonly id: string } | { readonly id: string | null; readonly error: AppError }

/** Returns, by item id, why an item violates the schemas. */
export type CheckMany = (schemas: DatasetSchemas, items: readonly CheckedItem[]) => Promise<ReadonlyMap<string, AppError>>

interface Prepared {
  readonly at: number
  readonly id: string
  readonly datasetId: string
  readonly datasetName: string
  readonly before: DatasetItem | undefined
  readonly contents: Contents
}

const noDataset = () => new AppError('not_found', 'Dataset not found')
const lockOf = (projectId: string, id: string) => `${projectId}/dataset item ${id}`

/**
 * Returns the outcome of each change, in the order of the changes. If several changes name the same item, each change sees the results of
 * the earlier changes. Some items are written one by one, because they have media or because another request changes them at the same time.
 * `checkOne` validates such an item, and `check` validates all other items together.
 */
export async function upsertDatasetItems(
  project: InProject,
  by: Author,
  changes: readonly DatasetItemChange[],
  { check, checkOne }: { readonly check: CheckMany; readonly checkOne: CheckItem },
): Promise<readonly Outcome[]> {
  const outcomes: (readonly Outcome[])[] = []
  for (const part of withoutRepeats(changes)) outcomes.push(await upsertPart(project, by, part, check, checkOne))
  return outcomes.flat()
}

/** Divides the changes into parts in which no id occurs twice. */
function withoutRepeats(changes: readonly DatasetItemChange[]): readonly (readonly DatasetItemChange[])[] {
  const parts: DatasetItemChange[][] = []
  let seen = new Set<string>()
  for (const change of changes) {
    if (parts.length === 0 || (change.id != null && seen.has(change.id))) {
      parts.push([])
      seen = new Set()
    }
    if (change.id != null) seen.add(change.id)
    parts.at(-1)!.push(change)
  }
  return parts
}

async function upsertPart(
  project: InProject,
  by: Author,
  changes: readonly DatasetItemChange[],
  check: CheckMany,
  checkOne: CheckItem,
): Promise<readonly Outcome[]> {
  const outcomes: (Outcome | undefined)[] = changes.map(() => undefined)
  const alone = new Set<number>()
  const names = [...new Set(changes.map(({ datasetName }) => datasetName))].filter(canBeId)
  const datasets = new Map(
    (names.length === 0 ? [] : await datasetsOf(project).where('name', 'in', names).execute()).map(row => [row.name, row]),
  )
  const ids = changes.flatMap(({ id }) => (id != null && canBeId(id) ? [id] : []))
  const found = ids.length === 0 ? [] : await current(project).where('dataset_items.id', 'in', ids).execute()
  const befores = new Map(found.map(row => [row.id, withStatus(row)]))

  const prepared: Prepared[] = []
  for (const [at, change] of changes.entries()) {
    const dataset = datasets.get(change.datasetName)
    const before = change.id == null ? undefined : befores.get(change.id)
    const id = change.id ?? randomUUID()
    if (dataset === undefined) outcomes[at] = { id: change.id ?? null, error: noDataset() }
    else if (before !== undefined && before.datasetId !== dataset.id)
      outcomes[at] = { id, error: new AppError('conflict', `A different dataset of the project already has an item with the id ${id}.`) }
    else {
      const contents = merged(before, change)
      if (mediaReferencesOf(contents).length > 0) alone.add(at)
      else prepared.push({ at, id, datasetId: dataset.id, datasetName: dataset.name, before, contents })
    }
  }

  for (const [name, of] of Map.groupBy(prepared, ({ datasetName }) => datasetName)) {
    const items = of.map(({ id, contents: { input, expectedOutput } }) => ({ id, input, expectedOutput }))
    const errors = await check(datasets.get(name)!, items)
    for (const { at, id } of of) {
      const error = errors.get(id)
      if (error !== undefined) outcomes[at] = { id, error }
    }
  }

  const sound = prepared.filter(({ at }) => outcomes[at] === undefined)
  const written = await write(project, by, sound, datasets)
  for (const datasetId of new Set(sound.map(({ datasetId }) => datasetId))) await keepRangesSmall(project, datasetId)
  for (const { at, id } of sound) {
    if (written.has(id)) outcomes[at] = { id }
    else alone.add(at)
  }
  for (const at of alone) outcomes[at] = await upsertAlone(project, by, changes[at]!, checkOne)
  return outcomes as readonly Outcome[]
}

async function upsertAlone(project: InProject, by: Author, change: DatasetItemChange, check: CheckItem): Promise<Outcome> {
  try {
    const item = await upsertDatasetItem(project, by, change, check)
    return item === undefined ? { id: change.id ?? null, error: noDataset() } : { id: item.id }
  } catch (error) {
    if (!isAppError(error) || error.definition.class !== 'invalid') throw error
    return { id: change.id ?? null, error }
  }
}

type Seen = Awaited<ReturnType<ReturnType<typeof datasetsOf>['execute']>>[number]

/** Writes the items in one transaction, but skips items whose data or dataset has changed since they were read. */
async function write(
  project: InProject,
  by: Author,
  items: readonly Prepared[],
  datasets: ReadonlyMap<string, Seen>,
): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set()
  return project.write<ReadonlySet<string>>(by, async rows => {
    await lock(rows, project.projectId, items)
    const names = [...new Set(items.map(({ datasetName }) => datasetName))]
    const now = await datasetsOf(rows).where('name', 'in', names).orderBy('id').forShare().execute()
    const unchanged = new Set(now.filter(row => JSON.stringify(row) === JSON.stringify(datasets.get(row.name))).map(({ name }) => name))
    const newest = await newestOf(
      rows,
      items.map(({ id }) => id),
    )
    const same = items.filter(({ id, datasetName, before }) => {
      const present = newest.get(id)
      const validFrom = present?.isDeleted === false ? present.validFrom.getTime() : undefined
      return unchanged.has(datasetName) && validFrom === before?.validFrom.getTime()
    })
    if (same.length === 0) return { value: new Set(), audit: [] }
    const begins = new Map(same.map(({ id }) => [id, laterOf(by.at, newest.get(id)?.after)]))
    const closed = same.filter(({ id }) => newest.has(id))
    for (const [time, of] of Map.groupBy(closed, ({ id }) => begins.get(id)!.getTime())) {
      const former = rows
        .update('dataset_items')
        .set({ valid_to: new Date(time) })
        .where('valid_to', 'is', null)
      await former
        .where(
          'id',
          'in',
          of.map(({ id }) => id),
        )
        .execute()
    }
    const made = same.map(({ id, datasetId, before, contents }) => ({ ...contents, id, datasetId, createdAt: before?.createdAt ?? by.at }))
    await rows
      .insert(
        'dataset_items',
        made.map(item => versionRow(item, by.at, begins.get(item.id)!)),
      )
      .execute()
    const audit = same.map(({ id, datasetId, before, contents: { status } }) => {
      const after = { datasetId, status, version: begins.get(id)! }
      const of = { resourceType: 'datasetItem', resourceId: id, after }
      return before === undefined ? { ...of, action: 'create' as const } : { ...of, action: 'update' as const, before: audited(before) }
    })
    return { value: new Set(same.map(({ id }) => id)), audit }
  })
}

const laterOf = (at: Date, after: Date | undefined) => (after !== undefined && after > at ? after : at)

/** Takes the locks of all items, in a fixed order. A write of a single item takes the same lock. */
async function lock(rows: ProjectRows, projectId: string, items: readonly Prepared[]): Promise<void> {
  const keys = items.map(({ id }) => lockOf(projectId, id)).sort()
  const each = sql`(select count(pg_advisory_xact_lock(hashtextextended(key, 1))) from (select unnest(${keys}::text[]) as key) as keys)`
  await rows.select('projects').select(each.as('locked')).execute()
}

/** Returns each item's newest version, even if this version is a deletion. `after` is the earliest start for the item's next version. */
async function newestOf(rows: ProjectRows, ids: readonly string[]) {
  const found = await rows
    .select('dataset_items')
    .select(['id', 'valid_from as validFrom', 'is_deleted as isDeleted'])
    // The start times of item versions that v3 wrote have microseconds, which a Date cannot represent. The query therefore returns the
    // first whole millisecond after the start.
    .select(sql<Date>`date_trunc('milliseconds', valid_from) + interval '1 millisecond'`.as('after'))
    .where('id', 'in', ids)
    .where('valid_to', 'is', null)
    .execute()
  return new Map(found.map(row => [row.id, row]))
}

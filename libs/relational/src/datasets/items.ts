// A change ends the current version of an item and begins the next version. A read can therefore return the state that a dataset had at any
// earlier time (contract §18.2).
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { linkItemVersion, unlinkItem } from '../media/links.ts'
import { mediaReferencesOf } from '../media/references.ts'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import type { Written } from '../tenancy/rows.ts'
import { sql } from '../tenancy/sql.ts'
import type { CheckedItem, DatasetSchemas } from './repository.ts'

type DatasetItemStatus = 'ACTIVE' | 'ARCHIVED'

export interface DatasetItem extends CheckedItem {
  readonly status: DatasetItemStatus
  /** Like `input` and `expectedOutput`, a JSON text that keeps all digits of its numbers. */
  readonly metadata: string | null
  readonly sourceTraceId: string | null
  readonly sourceObservationId: string | null
  readonly datasetId: string
  readonly datasetName: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly validFrom: Date
}

/**
 * If a field is absent or null, an existing item keeps its value, and a new item gets null. No text may contain NUL or an unpaired
 * surrogate.
 */
export interface DatasetItemChange {
  /** A random id by default. */
  readonly id?: string | null
  readonly datasetName: string
  readonly status?: DatasetItemStatus | null
  readonly input?: string | null
  readonly expectedOutput?: string | null
  readonly metadata?: string | null
  readonly sourceTraceId?: string | null
  readonly sourceObservationId?: string | null
}

export const versions = (rows: Pick<ProjectRows, 'select'>) =>
  rows
    .select('dataset_items')
    .innerJoin('datasets', join =>
      join.onRef('datasets.id', '=', 'dataset_items.dataset_id').onRef('datasets.project_id', '=', 'dataset_items.project_id'),
    )
    .select(['dataset_items.id', 'dataset_items.status', 'dataset_items.dataset_id as datasetId', 'datasets.name as datasetName'])
    .select(['dataset_items.source_trace_id as sourceTraceId', 'dataset_items.source_observation_id as sourceObservationId'])
    .select(['dataset_items.created_at as createdAt', 'dataset_items.updated_at as updatedAt', 'dataset_items.valid_from as validFrom'])
    .select([
      sql<string | null>`dataset_items.input::text`.as('input'),
      sql<string | null>`dataset_items.expected_output::text`.as('expectedOutput'),
      sql<string | null>`dataset_items.metadata::text`.as('metadata'),
    ])
    .where('dataset_items.is_deleted', '=', false)

export const current = (rows: Pick<ProjectRows, 'select'>) => versions(rows).where('dataset_items.valid_to', 'is', null)

export const withStatus = <Row extends { readonly status: string }>(row: Row) => ({ ...row, status: row.status as DatasetItemStatus })

const currentOf = async (rows: Pick<ProjectRows, 'select'>, id: string) => {
  const row = await current(rows).where('dataset_items.id', '=', id).executeTakeFirst()
  return row && withStatus(row)
}

/** Also returns an archived item. */
export const getDatasetItem = async (project: InProject, id: string): Promise<DatasetItem | undefined> =>
  canBeId(id) ? currentOf(project, id) : undefined

interface Target extends DatasetSchemas {
  readonly id: string
  readonly name: string
}

export const datasetsOf = (rows: Pick<ProjectRows, 'select'>) =>
  rows
    .select('datasets')
    .select(['id', 'name'])
    .select([
      sql<string | null>`input_schema::text`.as('inputSchema'),
      sql<string | null>`expected_output_schema::text`.as('expectedOutputSchema'),
    ])

const datasetNamed = (rows: Pick<ProjectRows, 'select'>, name: string) => datasetsOf(rows).where('name', '=', name)

const isSame = (a: Target | undefined, b: Target | undefined) => JSON.stringify(a) === JSON.stringify(b)

export type CheckItem = (schemas: DatasetSchemas, item: CheckedItem) => Promise<void>

export type Contents = Pick<DatasetItem, 'status' | 'input' | 'expectedOutput' | 'metadata' | 'sourceTraceId' | 'sourceObservationId'>

export const merged = (before: Contents | undefined, change: DatasetItemChange): Contents => ({
  status: change.status ?? before?.status ?? 'ACTIVE',
  input: change.input ?? before?.input ?? null,
  expectedOutput: change.expectedOutput ?? before?.expectedOutput ?? null,
  metadata: change.metadata ?? before?.metadata ?? null,
  sourceTraceId: change.sourceTraceId ?? before?.sourceTraceId ?? null,
  sourceObservationId: change.sourceObservationId ?? before?.sourceObservationId ?? null,
})

/**
 * Ends the newest version of the item, even if that version is a deletion. Returns the start of the next version. The next version always
 * starts later than the ended version, even if clocks differ.
 */
async function closeVersion(rows: ProjectRows, id: string, at: Date): Promise<Date> {
  // The start times of item versions that v3 wrote have microseconds, which a Date cannot represent. The query therefore returns the first
  // whole millisecond after the start of the newest version.
  const newest = await rows
    .select('dataset_items')
    .select(sql<Date>`date_trunc('milliseconds', valid_from) + interval '1 millisecond'`.as('after'))
    .where('id', '=', id)
    .where('valid_to', 'is', null)
    .executeTakeFirst()
  if (newest === undefined) return at
  const next = newest.after > at ? newest.after : at
  await rows.update('dataset_items').set({ valid_to: next }).where('id', '=', id).where('valid_to', 'is', null).execute()
  return next
}

export const versionRow = (
  { id, datasetId, createdAt, ...of }: Contents & Pick<DatasetItem, 'id' | 'datasetId' | 'createdAt'>,
  at: Date,
  validFrom: Date,
  isDeleted = false,
) => ({
  ...{ id, dataset_id: datasetId, status: of.status, input: of.input, expected_output: of.expectedOutput, metadata: of.metadata },
  ...{ source_trace_id: of.sourceTraceId, source_observation_id: of.sourceObservationId },
  ...{ valid_from: validFrom, is_deleted: isDeleted, created_at: createdAt, updated_at: at },
})

const insertVersion = (rows: ProjectRows, ...version: Parameters<typeof versionRow>) =>
  rows.insert('dataset_items', versionRow(...version)).execute()

/** Omits the item's contents from the audit entry, because the table keeps the contents of every version. */
export const audited = ({ datasetId, status, validFrom }: DatasetItem) => ({ datasetId, status, version: validFrom })

/** If the caller chose the id, writes of this item run one after the other, because several requests can use the same id. */
const writeOf =
  (project: InProject, id: string | null | undefined) =>
  <T>(by: Author, work: (rows: ProjectRows) => Promise<Written<T>>) =>
    id ? project.writeInTurn(by, work, `dataset item ${id}`) : project.write(by, work)

const maxAttempts = 5

/**
 * Returns undefined if the dataset does not exist. Throws `conflict` if the id belongs to an item of another dataset, and `bad_request` for
 * media that the project does not have. `check` runs before the transaction. The transaction then verifies that the checked data has not
 * changed since.
 */
export async function upsertDatasetItem(
  project: InProject,
  by: Author,
  change: DatasetItemChange,
  check: CheckItem,
): Promise<DatasetItem | undefined> {
  const { datasetName } = change
  const id = change.id ?? randomUUID()
  if (!canBeId(datasetName)) return undefined
  const otherDataset = () => new AppError('conflict', `A different dataset of the project already has an item with the id ${id}.`)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const seen = await datasetNamed(project, datasetName).executeTakeFirst()
    if (seen === undefined) return undefined
    const before = change.id ? await currentOf(project, id) : undefined
    if (before !== undefined && before.datasetId !== seen.id) throw otherDataset()
    const contents = merged(before, change)
    await check(seen, { id, input: contents.input, expectedOutput: contents.expectedOutput })
    const references = mediaReferencesOf(contents)
    const written = await writeOf(project, change.id)<DatasetItem | 'changed'>(by, async rows => {
      const now = change.id ? await currentOf(rows, id) : undefined
      const dataset = await datasetNamed(rows, datasetName).forShare().executeTakeFirst()
      if (!isSame(dataset, seen) || now?.validFrom.getTime() !== before?.validFrom.getTime() || now?.datasetId !== before?.datasetId)
        return { value: 'changed', audit: [] }
      const validFrom = change.id ? await closeVersion(rows, id, by.at) : by.at
      const item = { ...contents, id, datasetId: seen.id, createdAt: before?.createdAt ?? by.at }
      await insertVersion(rows, item, by.at, validFrom)
      await linkItemVersion(rows, { projectId: project.projectId, datasetId: seen.id, itemId: id, validFrom, at: by.at }, references)
      const value = { ...item, datasetName, updatedAt: by.at, validFrom }
      const of = { resourceType: 'datasetItem', resourceId: id, after: audited(value) }
      return { value, audit: [before === undefined ? { ...of, action: 'create' } : { ...of, action: 'update', before: audited(before) }] }
    })
    if (written !== 'changed') return written
  }
  throw new AppError('conflict', 'Other requests are changing this dataset or item. Send the request again.')
}

/** After the deletion, a read of an earlier state of the dataset still returns the item's old versions, but without their media. */
export const deleteDatasetItem = async (project: InProject, by: Author, id: string): Promise<boolean> => {
  if (!canBeId(id)) return false
  return writeOf(project, id)<boolean>(by, async rows => {
    const before = await currentOf(rows, id)
    if (before === undefined) return { value: false, audit: [] }
    const validFrom = await closeVersion(rows, id, by.at)
    const nothing = { input: null, expectedOutput: null, metadata: null }
    await insertVersion(rows, { ...before, ...nothing }, by.at, validFrom, true)
    await unlinkItem(rows, project.projectId, id, by.at)
    return { value: true, audit: [{ resourceType: 'datasetItem', resourceId: id, action: 'delete', before: audited(before) }] }
  })
}

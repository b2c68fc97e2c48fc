// A dataset is identified by its name (contract §18.2).
import { randomUUID } from 'node:crypto'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { mapPage, type Page, type PageOf, pageOf } from '../tenancy/pages.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { sql } from '../tenancy/sql.ts'
import { timesAt } from '../tenancy/times.ts'

export interface Dataset {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly description: string | null
  readonly metadata: unknown
  readonly inputSchema: unknown
  readonly expectedOutputSchema: unknown
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** An absent field stays unchanged in an existing dataset, and gets its default in a new one. `metadata` and the schemas are JSON texts. */
export interface DatasetChange {
  /** Must satisfy the rules for ids (`canBeId`). */
  readonly name: string
  readonly description?: string | null
  readonly metadata?: string | null
  readonly inputSchema?: string | null
  readonly expectedOutputSchema?: string | null
}

/** JSON texts. */
export interface DatasetSchemas {
  readonly inputSchema: string | null
  readonly expectedOutputSchema: string | null
}

/** JSON texts. */
export interface CheckedItem {
  readonly id: string
  readonly input: string | null
  readonly expectedOutput: string | null
}

export type CheckItems = (schemas: DatasetSchemas, items: AsyncIterable<readonly CheckedItem[]>) => Promise<void>

const viewOf = (row: RowOf<'datasets'>): Dataset => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  description: row.description,
  metadata: row.metadata,
  inputSchema: row.input_schema,
  expectedOutputSchema: row.expected_output_schema,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export async function findDataset(project: InProject, name: string): Promise<Dataset | undefined> {
  if (!canBeId(name)) return undefined
  const row = await project.select('datasets').selectAll().where('name', '=', name).executeTakeFirst()
  return row && viewOf(row)
}

/** Lists datasets, newest first. */
export const listDatasets = async (project: InProject, page: Page): Promise<PageOf<Dataset>> =>
  mapPage(await pageOf(project.select('datasets').selectAll().orderBy('created_at', 'desc').orderBy('id'), page), viewOf)

/** Oldest first. */
export async function listRunNames(project: InProject, datasetIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  if (datasetIds.length === 0) return new Map()
  const rows = await project
    .select('dataset_runs')
    .select(['dataset_id', 'name'])
    .where('dataset_id', 'in', datasetIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return new Map([...Map.groupBy(rows, row => row.dataset_id)].map(([id, runs]) => [id, runs.map(({ name }) => name)]))
}

const checkedAtOnce = 100

async function* itemsOf(rows: ProjectRows, datasetId: string): AsyncIterable<readonly CheckedItem[]> {
  for (let after: string | undefined; ; ) {
    let query = rows
      .select('dataset_items')
      .select(['id', sql<string | null>`input::text`.as('input'), sql<string | null>`expected_output::text`.as('expectedOutput')])
      .where('dataset_id', '=', datasetId)
      .where('valid_to', 'is', null)
      .where('is_deleted', '=', false)
    if (after !== undefined) query = query.where('id', '>', after)
    const items = await query.orderBy('id').limit(checkedAtOnce).execute()
    if (items.length > 0) yield items
    if (items.length < checkedAtOnce) return
    after = items.at(-1)!.id
  }
}

const columnsOf = ({ description, metadata, inputSchema, expectedOutputSchema }: DatasetChange) => ({
  ...(description !== undefined && { description }),
  ...(metadata !== undefined && { metadata }),
  ...(inputSchema !== undefined && { input_schema: inputSchema }),
  ...(expectedOutputSchema !== undefined && { expected_output_schema: expectedOutputSchema }),
})

/** Creates the dataset with this name if it is missing, and locks it until the transaction ends. */
async function ensure(rows: ProjectRows, by: Author, name: string) {
  const named = () => rows.select('datasets').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()
  const found = await named()
  if (found !== undefined) return { row: found, isNew: false }
  const made = await rows
    .insert('datasets', { id: randomUUID(), name, ...timesAt(by.at) })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return { row: made ?? (await named())!, isNew: made !== undefined }
}

/**
 * Creates or changes the dataset with this name. New schemas are checked against the existing items, and no item can be written during the
 * check.
 */
export const upsertDataset = (project: InProject, by: Author, change: DatasetChange, check: CheckItems): Promise<Dataset> =>
  project.write(by, async rows => {
    const { row, isNew } = await ensure(rows, by, change.name)
    const changed = await rows
      .update('datasets')
      .set({ ...columnsOf(change), updated_at: by.at })
      .where('id', '=', row.id)
      .returningAll()
      .returning([
        sql<string | null>`input_schema::text`.as('inputText'),
        sql<string | null>`expected_output_schema::text`.as('outputText'),
      ])
      .executeTakeFirstOrThrow()
    const { inputText, outputText, ...updated } = changed
    const constrains = [change.inputSchema, change.expectedOutputSchema].some(schema => schema !== undefined && schema !== null)
    if (constrains && !isNew) await check({ inputSchema: inputText, expectedOutputSchema: outputText }, itemsOf(rows, row.id))
    const value = viewOf(updated)
    const of = { resourceType: 'dataset', resourceId: value.id, after: value }
    return { value, audit: [isNew ? { ...of, action: 'create' } : { ...of, action: 'update', before: viewOf(row) }] }
  })

// Models with their price tiers. Each model belongs to a project, or is a managed model that applies to every project (contract §18.5).
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import type { CatalogModel } from '@svc-server/pricing/snapshot'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Author } from '../tenancy/audit.ts'
import type { InProject, ProjectRows } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { storableJson } from '../tenancy/json.ts'
import type { Page, PageOf } from '../tenancy/pages.ts'
import { sql } from '../tenancy/sql.ts'
import { timesAt } from '../tenancy/times.ts'
import { type ModelTier, requireValidTiers, standardTier } from './rules.ts'

export interface Model {
  readonly id: string
  /** Null for a managed model. */
  readonly projectId: string | null
  readonly modelName: string
  readonly matchPattern: string
  readonly startDate: Date | null
  readonly unit: string | null
  readonly tokenizerId: string | null
  readonly tokenizerConfig: unknown
  readonly createdAt: Date
  /** Sorted by priority. */
  readonly tiers: readonly (ModelTier & { readonly id: string })[]
}

export interface NewModel {
  readonly modelName: string
  /** A validated PostgreSQL regular expression. */
  readonly matchPattern: string
  readonly startDate?: Date | null
  readonly unit?: string | null
  readonly tokenizerId?: string | null
  readonly tokenizerConfig?: unknown
  /** A caller that has prices without tiers creates a single tier with `standardTier(prices)`. */
  readonly tiers: readonly ModelTier[]
}

const priceOf = (column: 'input_price' | 'output_price' | 'total_price') =>
  sql<string | null>`${sql.ref(`models.${column}`)}::text`.as(column)

const modelsIn = (project: InProject) =>
  project
    .selectShared('models')
    .select(['id', 'project_id', 'model_name', 'match_pattern', 'start_date', 'unit', 'tokenizer_id', 'tokenizer_config', 'created_at'])
    .select([priceOf('input_price'), priceOf('output_price'), priceOf('total_price')])
    .select(model =>
      jsonArrayFrom(
        model
          .selectFrom('pricing_tiers as tier')
          .select(['tier.id', 'tier.name', 'tier.is_default', 'tier.priority', 'tier.conditions'])
          .select(tier =>
            jsonArrayFrom(
              tier
                .selectFrom('prices as price')
                .select(['price.usage_type', sql<string>`price.price::text`.as('price')])
                .whereRef('price.pricing_tier_id', '=', 'tier.id')
                .orderBy('price.usage_type'),
            ).as('prices'),
          )
          .whereRef('tier.model_id', '=', 'models.id')
          .orderBy('tier.priority'),
      ).as('tiers'),
    )

type Row = Awaited<ReturnType<ReturnType<typeof modelsIn>['executeTakeFirstOrThrow']>>

/** v3's columns return decimals with 30 decimal places. */
const shortest = (price: string) => (price.includes('.') ? price.replace(/\.?0+$/, '') : price)

/** Older servers stored prices in columns of the model. */
function flatTiers(row: Row): Model['tiers'] {
  const columns = { input: row.input_price, output: row.output_price, total: row.total_price }
  const prices = Object.entries(columns).flatMap(([type, price]) => (price === null ? [] : [[type, shortest(price)] as const]))
  return prices.length === 0 ? [] : [{ id: `${row.id}/standard`, ...standardTier(Object.fromEntries(prices)) }]
}

function viewOf(row: Row): Model {
  const tiers = row.tiers.map(({ id, name, is_default, priority, conditions, prices }) => ({
    ...{ id, name, isDefault: is_default, priority },
    conditions: Array.isArray(conditions) ? (conditions as readonly unknown[]) : [],
    prices: Object.fromEntries(prices.map(({ usage_type, price }) => [usage_type, shortest(price)])),
  }))
  return {
    id: row.id,
    projectId: row.project_id,
    modelName: row.model_name,
    matchPattern: row.match_pattern,
    startDate: row.start_date,
    unit: row.unit,
    tokenizerId: row.tokenizer_id,
    tokenizerConfig: row.tokenizer_config,
    createdAt: row.created_at,
    tiers: tiers.length > 0 ? tiers : flatTiers(row),
  }
}

/** Shipped models are managed models without a row in the store. A row with the same id replaces the shipped model. */
const shippedView = ({ startDate, tiers, ...model }: CatalogModel): Model => ({
  ...{ id: model.id, projectId: null, modelName: model.modelName, matchPattern: model.matchPattern, unit: 'TOKENS' },
  ...{ startDate: startDate === null ? null : new Date(startDate), createdAt: new Date(startDate ?? 0) },
  ...{ tokenizerId: model.tokenizerId, tokenizerConfig: model.tokenizerConfig, tiers },
})

type Key = Pick<Model, 'id' | 'modelName' | 'unit' | 'startDate'>

const byText = (a: string | null, b: string | null) => (a === b ? 0 : a === null ? 1 : b === null || a < b ? -1 : 1)
const newestFirst = (a: Date | null, b: Date | null) =>
  (b?.getTime() ?? Number.NEGATIVE_INFINITY) - (a?.getTime() ?? Number.NEGATIVE_INFINITY)
const inOrder = (a: Key, b: Key) =>
  byText(a.modelName, b.modelName) || byText(a.unit, b.unit) || newestFirst(a.startDate, b.startDate) || byText(a.id, b.id)

/**
 * Lists the project's models and managed models. They are sorted by name, then by unit, then by start date with the newest first. Models
 * without a start date come last.
 */
export async function listModels(
  project: InProject,
  { page, limit }: Page,
  shipped: readonly CatalogModel[] = shippedModels(),
): Promise<PageOf<Model>> {
  const stored = await project.selectShared('models').select(['id', 'model_name', 'unit', 'start_date']).execute()
  const keys = new Map<string, Key>([
    ...shipped.map(model => [model.id, shippedView(model)] as const),
    ...stored.map(row => [row.id, { id: row.id, modelName: row.model_name, unit: row.unit, startDate: row.start_date }] as const),
  ])
  const ids = [...keys.values()]
    .sort(inOrder)
    .slice((page - 1) * limit, page * limit)
    .map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await modelsIn(project).where('models.id', 'in', ids).execute()
  const views = new Map([
    ...shipped.map(model => [model.id, shippedView(model)] as const),
    ...rows.map(row => [row.id, viewOf(row)] as const),
  ])
  return { rows: ids.flatMap(id => views.get(id) ?? []), totalItems: keys.size }
}

/** Also returns a managed model. */
export async function getModel(
  project: InProject,
  id: string,
  shipped: readonly CatalogModel[] = shippedModels(),
): Promise<Model | undefined> {
  if (!canBeId(id)) return undefined
  const row = await modelsIn(project).where('models.id', '=', id).executeTakeFirst()
  if (row !== undefined) return viewOf(row)
  const model = shipped.find(each => each.id === id)
  return model && shippedView(model)
}

const audited = ({ modelName, matchPattern, startDate, unit, tiers }: NewModel) => ({ modelName, matchPattern, startDate, unit, tiers })

async function requireFreeName(rows: ProjectRows, modelName: string, id: string): Promise<void> {
  const query = rows.select('models').select('id').where('model_name', '=', modelName).where('id', '!=', id)
  if ((await query.executeTakeFirst()) !== undefined)
    throw new AppError('conflict', `The project already has a model named ${modelName}.`, { table: 'models', constraint: 'model_name' })
}

async function insertPrices(rows: ProjectRows, modelId: string, tiers: readonly ModelTier[], at: Date): Promise<void> {
  const identified = tiers.map(tier => ({ id: randomUUID(), ...tier }))
  await rows.insertUnder(
    'pricing_tiers',
    modelId,
    identified.map(({ id, name, isDefault, priority, conditions }) => ({
      ...{ id, name, is_default: isDefault, priority, conditions: storableJson(conditions)!, ...timesAt(at) },
    })),
  )
  const prices = identified.flatMap(({ id: pricing_tier_id, prices: of }) =>
    Object.entries(of).map(([usage_type, price]) => ({
      ...{ id: randomUUID(), model_id: modelId, pricing_tier_id, usage_type, price, ...timesAt(at) },
    })),
  )
  await rows.insert('prices', prices).execute()
}

async function deletePrices(rows: ProjectRows, modelId: string): Promise<void> {
  for (const table of ['prices', 'pricing_tiers'] as const) await rows.delete(table).where('model_id', '=', modelId).execute()
}

const columnsOf = ({ modelName, matchPattern, startDate = null, unit = null, tokenizerId = null, tokenizerConfig }: NewModel) => ({
  ...{ model_name: modelName, match_pattern: matchPattern, start_date: startDate, unit, tokenizer_id: tokenizerId },
  tokenizer_config: storableJson(tokenizerConfig),
})

/** Throws `conflict` if the project already has a model with this name, and `bad_request` if the tiers break a rule. */
export async function createModel(project: InProject, by: Author, given: NewModel): Promise<Model> {
  requireValidTiers(given.tiers)
  const id = randomUUID()
  await project.writeInTurn(by, async rows => {
    await requireFreeName(rows, given.modelName, id)
    await rows.insert('models', { id, ...columnsOf(given), ...timesAt(by.at) }).execute()
    await insertPrices(rows, id, given.tiers, by.at)
    return { value: undefined, audit: [{ resourceType: 'model', resourceId: id, action: 'create', after: audited(given) }] }
  })
  return (await getModel(project, id))!
}

/**
 * Returns undefined if the id is invalid, or belongs to a managed model or to another project's model. Throws the same errors as
 * `createModel`.
 */
export async function upsertModel(project: InProject, by: Author, id: string, given: NewModel): Promise<Model | undefined> {
  requireValidTiers(given.tiers)
  if (!canBeId(id) || shippedModels().some(model => model.id === id)) return undefined
  const written = await project.writeInTurn<boolean>(by, async rows => {
    await requireFreeName(rows, given.modelName, id)
    const before = await rows.find('models', id)
    const flat = { input_price: null, output_price: null, total_price: null }
    const { numInsertedOrUpdatedRows } = await rows
      .insert('models', { id, ...columnsOf(given), ...timesAt(by.at) })
      .onConflict(conflict => conflict.column('id').doUpdateSet({ ...columnsOf(given), ...flat, updated_at: by.at }))
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 0n) return { value: false, audit: [] }
    await deletePrices(rows, id)
    await insertPrices(rows, id, given.tiers, by.at)
    const action = before === undefined ? 'create' : 'update'
    return { value: true, audit: [{ resourceType: 'model', resourceId: id, action, after: audited(given) }] }
  })
  return written ? getModel(project, id) : undefined
}

/** Returns false if the model does not exist, is managed, or belongs to another project. */
export async function deleteModel(project: InProject, by: Author, id: string): Promise<boolean> {
  if (!canBeId(id)) return false
  return project.write<boolean>(by, async rows => {
    await deletePrices(rows, id)
    const row = await rows.delete('models').where('id', '=', id).returning(['model_name']).executeTakeFirst()
    if (row === undefined) return { value: false, audit: [] }
    const before = { modelName: row.model_name }
    return { value: true, audit: [{ resourceType: 'model', resourceId: id, action: 'delete', before }] }
  })
}

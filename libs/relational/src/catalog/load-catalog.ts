// Reads models, prices, and prompts into one snapshot, in small pages, so that other queries can run in between.
import { shippedModels } from '@svc-server/pricing/shipped-models'
import {
  type CatalogContent,
  type CatalogModel,
  type CatalogPrompt,
  type CatalogSnapshot,
  type CatalogTier,
  catalogSnapshot,
} from '@svc-server/pricing/snapshot'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Instance } from '../tenancy/handles.ts'
import { sql } from '../tenancy/sql.ts'

export interface CatalogLoadOptions {
  /** The default is the shipped price list. */
  readonly shipped?: readonly CatalogModel[]
  /** Rows per query. */
  readonly pageSize?: number
}

const defaultPageSize = 200

/** Throws `relational_unavailable`. */
export async function loadCatalog(all: Instance, options: CatalogLoadOptions = {}): Promise<CatalogContent> {
  const { shipped = shippedModels(), pageSize = defaultPageSize } = options
  const models = await allPages(pageSize, after => modelPage(all, after, pageSize))
  const prompts = await allPages(pageSize, after => promptPage(all, after, pageSize))
  const stored = new Set(models.map(model => model.id))
  return { models: [...models, ...shipped.filter(model => !stored.has(model.id))], prompts }
}

/** Returns the catalog in canonical order, and a version that depends only on the catalog's contents. */
export const loadCatalogSnapshot = async (all: Instance, options: CatalogLoadOptions = {}): Promise<CatalogSnapshot> =>
  catalogSnapshot(await loadCatalog(all, options))

async function allPages<T extends { readonly id: string }>(size: number, read: (after: string) => Promise<readonly T[]>): Promise<T[]> {
  const rows: T[] = []
  for (let after = ''; ; after = rows.at(-1)!.id) {
    const page = await read(after)
    for (const row of page) rows.push(row)
    if (page.length < size) return rows
  }
}

/** Reads models with their tiers and prices in one statement, so that a reader never sees a partial change of prices. */
const modelPage = async (all: Instance, after: string, limit: number): Promise<readonly CatalogModel[]> =>
  (await modelsIn(all).where('id', '>', after).orderBy('id').limit(limit).execute()).map(modelOf)

/** Includes managed and shipped models. Throws `relational_unavailable`. */
export async function readModels(all: Instance, projectId: string, ids: readonly string[]): Promise<readonly CatalogModel[]> {
  const seen = modelsIn(all).where(where => where.or([where('project_id', 'is', null), where('project_id', '=', projectId)]))
  const rows = await seen.where('id', 'in', ids).execute()
  const stored = new Set(rows.map(({ id }) => id))
  return [...rows.map(modelOf), ...shippedModels().filter(({ id }) => ids.includes(id) && !stored.has(id))]
}

const modelsIn = (all: Instance) =>
  all
    .select('models')
    .select(['id', 'project_id', 'model_name', 'match_pattern', 'start_date', 'tokenizer_id', 'tokenizer_config'])
    .select([
      sql<string | null>`models.input_price::text`.as('input_price'),
      sql<string | null>`models.output_price::text`.as('output_price'),
      sql<string | null>`models.total_price::text`.as('total_price'),
    ])
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

type ModelRow = Awaited<ReturnType<ReturnType<typeof modelsIn>['execute']>>[number]

const modelOf = (row: ModelRow): CatalogModel => ({
  id: row.id,
  projectId: row.project_id,
  modelName: row.model_name,
  matchPattern: row.match_pattern,
  startDate: row.start_date?.toISOString() ?? null,
  tokenizerId: row.tokenizer_id,
  tokenizerConfig: row.tokenizer_config,
  tiers: row.tiers.length > 0 ? row.tiers.map(tierOf) : flatTier(row),
  shipped: false,
})

interface TierRow {
  readonly id: string
  readonly name: string
  readonly is_default: boolean
  readonly priority: number
  readonly conditions: unknown
  readonly prices: readonly { readonly usage_type: string; readonly price: string }[]
}

const tierOf = ({ id, name, is_default, priority, conditions, prices }: TierRow): CatalogTier => ({
  id,
  name,
  isDefault: is_default,
  priority,
  conditions: Array.isArray(conditions) ? conditions : [],
  prices: Object.fromEntries(prices.map(({ usage_type, price }) => [usage_type, price])),
})

interface FlatPrices {
  readonly id: string
  readonly input_price: string | null
  readonly output_price: string | null
  readonly total_price: string | null
}

/** Older servers stored prices in columns of the model's row instead of in tiers. Creates a default tier from these prices. */
function flatTier({ id, input_price: input, output_price: output, total_price: total }: FlatPrices): CatalogTier[] {
  const prices = Object.fromEntries(
    Object.entries({ input, output, total }).flatMap(([type, price]) => (price === null ? [] : [[type, price]])),
  )
  if (Object.keys(prices).length === 0) return []
  return [{ id: `${id}/standard`, name: 'Standard', isDefault: true, priority: 0, conditions: [], prices }]
}

async function promptPage(all: Instance, after: string, limit: number): Promise<readonly CatalogPrompt[]> {
  const query = all.select('prompts').select(['id', 'project_id', 'name', 'version']).where('id', '>', after)
  const rows = await query.orderBy('id').limit(limit).execute()
  return rows.map(({ id, project_id, name, version }) => ({ id, projectId: project_id, name, version }))
}

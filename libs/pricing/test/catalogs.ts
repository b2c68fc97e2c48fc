import { type Catalog, type CatalogOptions, createCatalog } from '../src/catalog.ts'
import { shippedModels } from '../src/shipped-models.ts'
import { type CatalogModel, type CatalogTier, catalogSnapshot } from '../src/snapshot.ts'
import { createTokenCounter } from '../src/token-counter.ts'
import { type CostAnswer, type CostQuestion, costOf } from './cost-of.ts'

export const tier = (prices: Readonly<Record<string, string>>, rest: Partial<CatalogTier> = {}): CatalogTier => ({
  id: 'standard',
  name: 'Standard',
  isDefault: true,
  priority: 0,
  conditions: [],
  prices,
  ...rest,
})

export const model = (rest: Partial<CatalogModel> = {}): CatalogModel => ({
  id: 'm',
  projectId: null,
  modelName: 'm',
  matchPattern: '(?i)^m$',
  startDate: null,
  tokenizerId: null,
  tokenizerConfig: null,
  tiers: [tier({ input: '1', output: '2' })],
  shipped: false,
  ...rest,
})

export const catalogOf = (models: readonly CatalogModel[], options?: CatalogOptions): Catalog =>
  createCatalog(catalogSnapshot({ models, prompts: [] }), options)

export const shippedCatalog: Catalog = catalogOf(shippedModels())

const counter = createTokenCounter()

export const ask = (catalog: Catalog, question: Partial<CostQuestion>): CostAnswer =>
  costOf(catalog, counter, { projectId: 'p', modelName: 'm', ...question })

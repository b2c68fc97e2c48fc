// Small catalogues for tests.

import { type Catalogue, type CatalogueOptions, createCatalogue } from '../src/catalogue.ts'
import { shippedModels } from '../src/shipped-models.ts'
import { type CatalogueModel, type CatalogueTier, catalogueSnapshot } from '../src/snapshot.ts'
import { createTokenCounter } from '../src/token-counter.ts'
import { type CostAnswer, type CostQuestion, costOf } from './cost-of.ts'

export const tier = (prices: Readonly<Record<string, string>>, rest: Partial<CatalogueTier> = {}): CatalogueTier => ({
  id: 'standard',
  name: 'Standard',
  isDefault: true,
  priority: 0,
  conditions: [],
  prices,
  ...rest,
})

export const model = (rest: Partial<CatalogueModel> = {}): CatalogueModel => ({
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

export const catalogueOf = (models: readonly CatalogueModel[], options?: CatalogueOptions): Catalogue =>
  createCatalogue(catalogueSnapshot({ models, prompts: [] }), options)

export const shippedCatalogue: Catalogue = catalogueOf(shippedModels())

const counter = createTokenCounter()

export const ask = (catalogue: Catalogue, question: Partial<CostQuestion>): CostAnswer =>
  costOf(catalogue, counter, { projectId: 'p', modelName: 'm', ...question })

export { Amounts, type Units } from './amounts.ts'
export { type Catalogue, type CatalogueOptions, createCatalogue, type MatchedModel } from './catalogue.ts'
export { type CostAnswer, type CostQuestion, costOf } from './cost-of.ts'
export { createEnricher, type Enricher, type Enrichment, type EnrichmentCounts, type SpanFacts } from './enrich.ts'
export { moneyText } from './money.ts'
export { costUnits, type ProvidedCounts, providedCounts, readCosts, readUsage, usageUnits } from './provided.ts'
export { shippedModels, shippedPriceList } from './shipped-models.ts'
export {
  type CatalogueContent,
  type CatalogueModel,
  type CataloguePrompt,
  type CatalogueSnapshot,
  type CatalogueTier,
  catalogueSnapshot,
} from './snapshot.ts'
export type { AttributeSource } from './tiers.ts'
export { createTokenCounter, type TokenCounter, type TokenCounterOptions, type TokenCounts } from './token-counter.ts'

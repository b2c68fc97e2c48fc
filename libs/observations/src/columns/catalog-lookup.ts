// The catalog that all columns share. It changes only between chunks.
import { type Catalog, createCatalog } from '@svc-server/pricing/catalog'
import { createEnricher, type Enricher, type EnrichmentCounts } from '@svc-server/pricing/enrich'
import { type CatalogSnapshot, catalogSnapshot } from '@svc-server/pricing/snapshot'
import { createTokenCounter } from '@svc-server/pricing/token-counter'

/** The compiled snapshots. A snapshot is compiled once per thread, even if several components use the snapshot. */
const compiled = new WeakMap<CatalogSnapshot, Catalog>()

function catalogOf(snapshot: CatalogSnapshot): Catalog {
  const known = compiled.get(snapshot)
  if (known !== undefined) return known
  const catalog = createCatalog(snapshot)
  compiled.set(snapshot, catalog)
  return catalog
}

export class CatalogLookup {
  /** Null disables lookups. */
  catalog: Catalog | null = null
  enricher: Enricher
  readonly #tokens = createTokenCounter()
  #before: EnrichmentCounts

  constructor() {
    this.enricher = createEnricher(createCatalog(catalogSnapshot({ models: [], prompts: [] })), this.#tokens)
    this.#before = { ...this.enricher.counts }
  }

  /** Returns warnings about unusable parts of the snapshot. */
  use(snapshot: CatalogSnapshot): readonly string[] {
    this.catalog = catalogOf(snapshot)
    this.enricher = createEnricher(this.catalog, this.#tokens)
    this.#before = { ...this.enricher.counts }
    return this.catalog.warnings
  }

  /** Returns and resets the counts. */
  takeCounts(): EnrichmentCounts {
    const { counts } = this.enricher
    const before = this.#before
    this.#before = { ...counts }
    return {
      unknownModel: counts.unknownModel - before.unknownModel,
      totalMismatch: counts.totalMismatch - before.totalMismatch,
      costClamped: counts.costClamped - before.costClamped,
      tokenized: counts.tokenized - before.tokenized,
      tokenizationSkipped: counts.tokenizationSkipped - before.tokenizationSkipped,
    }
  }
}

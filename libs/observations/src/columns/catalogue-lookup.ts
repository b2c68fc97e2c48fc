// The catalogue shared by all columns; it changes only between chunks.
import { type Catalogue, createCatalogue } from '@svc-server/pricing/catalogue'
import { createEnricher, type Enricher, type EnrichmentCounts } from '@svc-server/pricing/enrich'
import { type CatalogueSnapshot, catalogueSnapshot } from '@svc-server/pricing/snapshot'
import { createTokenCounter } from '@svc-server/pricing/token-counter'

/** A snapshot is compiled once per thread, however many components use it. */
const compiled = new WeakMap<CatalogueSnapshot, Catalogue>()

function catalogueOf(snapshot: CatalogueSnapshot): Catalogue {
  const known = compiled.get(snapshot)
  if (known !== undefined) return known
  const catalogue = createCatalogue(snapshot)
  compiled.set(snapshot, catalogue)
  return catalogue
}

export class CatalogueLookup {
  /** Null disables lookups. */
  catalogue: Catalogue | null = null
  enricher: Enricher
  readonly #tokens = createTokenCounter()
  #before: EnrichmentCounts

  constructor() {
    this.enricher = createEnricher(createCatalogue(catalogueSnapshot({ models: [], prompts: [] })), this.#tokens)
    this.#before = { ...this.enricher.counts }
  }

  /** Returns warnings about unusable parts of the snapshot. */
  use(snapshot: CatalogueSnapshot): readonly string[] {
    this.catalogue = catalogueOf(snapshot)
    this.enricher = createEnricher(this.catalogue, this.#tokens)
    this.#before = { ...this.enricher.counts }
    return this.catalogue.warnings
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
      tokenised: counts.tokenised - before.tokenised,
      tokenisationSkipped: counts.tokenisationSkipped - before.tokenisationSkipped,
    }
  }
}

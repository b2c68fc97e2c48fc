// The data from which usage and cost are computed. It is one immutable JSON value, which can be sent to a worker thread. The version
// identifies the data that a row was computed with, so that the row can be recomputed.
import { createHash } from 'node:crypto'

export interface CatalogTier {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly priority: number
  /** Conditions as they are stored. An invalid condition is never met. */
  readonly conditions: readonly unknown[]
  /** Prices in USD per unit, as decimal texts, by usage type. */
  readonly prices: Readonly<Record<string, string>>
}

export interface CatalogModel {
  readonly id: string
  /** Null if the model applies to all projects. */
  readonly projectId: string | null
  readonly modelName: string
  /** A PostgreSQL regular expression. */
  readonly matchPattern: string
  /** ISO time from which the model is valid. */
  readonly startDate: string | null
  readonly tokenizerId: string | null
  readonly tokenizerConfig: unknown
  readonly tiers: readonly CatalogTier[]
  /**
   * True if the model comes from the price list that svc ships. A model from the database takes precedence over a shipped model that
   * matches equally well.
   */
  readonly shipped: boolean
}

export interface CatalogPrompt {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly version: number
}

export interface CatalogContent {
  readonly models: readonly CatalogModel[]
  readonly prompts: readonly CatalogPrompt[]
}

export interface CatalogSnapshot extends CatalogContent {
  /** Hash of the content as 32 hex digits. It does not depend on the order of rows. */
  readonly version: string
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts the content, so that the version does not depend on the order of rows. */
export function catalogSnapshot({ models, prompts }: CatalogContent): CatalogSnapshot {
  const content: CatalogContent = {
    models: [...models].sort((a, b) => byText(a.id, b.id)),
    prompts: [...prompts].sort((a, b) => byText(a.projectId, b.projectId) || byText(a.name, b.name) || a.version - b.version),
  }
  const version = createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 32)
  return { version, ...content }
}

/** Sorts the keys, because stores and JSON columns do not preserve the order of keys, and the version must not depend on this order. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byText(a, b)))
  })

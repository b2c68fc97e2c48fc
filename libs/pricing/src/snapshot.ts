// The data for computing usage and cost as one immutable JSON value. The version makes it possible to recompute a row, and a worker thread
// can receive the whole value.
import { createHash } from 'node:crypto'

export interface CatalogTier {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly priority: number
  /** Conditions as stored. An invalid condition is never met. */
  readonly conditions: readonly unknown[]
  /** USD per unit as decimal text, by usage type. */
  readonly prices: Readonly<Record<string, string>>
}

export interface CatalogModel {
  readonly id: string
  /** Id of the project that owns the model; null for a model that all projects use. */
  readonly projectId: string | null
  readonly modelName: string
  /** A PostgreSQL regular expression. */
  readonly matchPattern: string
  /** Start of the model's validity as an ISO time. */
  readonly startDate: string | null
  readonly tokenizerId: string | null
  readonly tokenizerConfig: unknown
  readonly tiers: readonly CatalogTier[]
  /** True if the model is from the shipped list. An equally good match among stored rows takes precedence. */
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
  /** Hash of the content as 32 hex digits, independent of the order of rows. */
  readonly version: string
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts the content into canonical order and computes the version. */
export function catalogSnapshot({ models, prompts }: CatalogContent): CatalogSnapshot {
  const content: CatalogContent = {
    models: [...models].sort((a, b) => byText(a.id, b.id)),
    prompts: [...prompts].sort((a, b) => byText(a.projectId, b.projectId) || byText(a.name, b.name) || a.version - b.version),
  }
  const version = createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 32)
  return { version, ...content }
}

/** Sorts the keys of objects, because stores and JSON columns do not preserve their order. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byText(a, b)))
  })

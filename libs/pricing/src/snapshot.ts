// The data for usage and cost as one immutable JSON value with a version, so that a row can be recomputed and a worker thread
// can receive all of it.
import { createHash } from 'node:crypto'

export interface CatalogTier {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly priority: number
  /** Conditions as stored; an invalid condition never holds. */
  readonly conditions: readonly unknown[]
  /** USD per unit as decimal text, by usage type. */
  readonly prices: Readonly<Record<string, string>>
}

export interface CatalogModel {
  readonly id: string
  /** Null for every project. */
  readonly projectId: string | null
  readonly modelName: string
  /** A PostgreSQL regular expression. */
  readonly matchPattern: string
  /** ISO time. */
  readonly startDate: string | null
  readonly tokenizerId: string | null
  readonly tokenizerConfig: unknown
  readonly tiers: readonly CatalogTier[]
  /** Whether the model is from the shipped list, which yields to an equally good match among stored rows. */
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
  /** Hash of the content, 32 hex digits; independent of row order. */
  readonly version: string
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Puts content into canonical order and computes its version. */
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

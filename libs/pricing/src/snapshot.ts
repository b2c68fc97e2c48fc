// What usage and cost are computed from, as one immutable JSON value with a version: a row can be computed
// again, and a worker thread be sent all of it.
import { createHash } from 'node:crypto'

export interface CatalogueTier {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly priority: number
  /** As stored; what is no valid condition never holds. */
  readonly conditions: readonly unknown[]
  /** Usage type → USD per unit, a decimal text. */
  readonly prices: Readonly<Record<string, string>>
}

export interface CatalogueModel {
  readonly id: string
  /** Null: for every project. */
  readonly projectId: string | null
  readonly modelName: string
  /** A PostgreSQL regular expression. */
  readonly matchPattern: string
  /** ISO time. */
  readonly startDate: string | null
  readonly tokenizerId: string | null
  readonly tokenizerConfig: unknown
  readonly tiers: readonly CatalogueTier[]
  /** Of the shipped list: yields to a row of the store that is as good a match. */
  readonly shipped: boolean
}

export interface CataloguePrompt {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly version: number
}

export interface CatalogueContent {
  readonly models: readonly CatalogueModel[]
  readonly prompts: readonly CataloguePrompt[]
}

export interface CatalogueSnapshot extends CatalogueContent {
  /** Hash of the content: 32 hex digits. The same whatever the order of the rows was. */
  readonly version: string
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Puts content into its canonical order and names it. */
export function catalogueSnapshot({ models, prompts }: CatalogueContent): CatalogueSnapshot {
  const content: CatalogueContent = {
    models: [...models].sort((a, b) => byText(a.id, b.id)),
    prompts: [...prompts].sort((a, b) => byText(a.projectId, b.projectId) || byText(a.name, b.name) || a.version - b.version),
  }
  const version = createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 32)
  return { version, ...content }
}

/** Objects with their keys in order: stores and JSON columns keep none. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byText(a, b)))
  })

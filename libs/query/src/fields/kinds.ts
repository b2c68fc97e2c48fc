import type { Sql } from '../sql/sql.ts'
import type { EventRow } from './events.ts'

/**
 * How many rows the column store reads for a condition on the field. `key`: only some rows, because the table is sorted by the field.
 * `indexed`: few rows, because an index skips the other rows. `scan`: every row of the time range.
 */
export type Cost = 'key' | 'indexed' | 'scan'

interface Described {
  readonly id: string
  /** Label in the web app. Filters accept the label or the id. */
  readonly label: string
  /** Additional names that filters accept. */
  readonly also?: readonly string[]
  readonly cost: Cost
  readonly help: string
}

interface Valued<Kind extends string, Value> extends Described {
  readonly kind: Kind
  readonly sql: Sql
  readonly of: (row: EventRow) => Value
}

/** An empty text counts as a missing value. */
export type TextField = Valued<'text', string>
export type NumberField = Valued<'number', number | null>
/** Microseconds since the epoch. */
export type TimeField = Valued<'time', bigint | null>
export type BooleanField = Valued<'boolean', boolean>
export type ListField = Valued<'list', readonly string[]>
/**
 * The input or the output of an observation. The table events_core contains only the beginning of the text. The operators
 * `=` and `matches` can use the token indexes of events_full.
 */
export type SearchedField = Valued<'searched', string>
export type AmountsField = Valued<'amounts', Readonly<Record<string, number>>>
/** The price comes from the model catalog. */
export interface PriceField extends Described {
  readonly kind: 'price'
  readonly price: 'inputPrice' | 'outputPrice' | 'totalPrice'
}
export interface MetadataField extends Described {
  readonly kind: 'metadata'
  readonly of: 'event' | 'score'
}
/** Scores by name: the scores of the observation, and the scores of its trace that refer to no observation. */
export interface ScoreField extends Described {
  readonly kind: 'scoreAverage' | 'scoreCategories' | 'scoreBooleans'
  readonly of: 'observation' | 'trace'
}

export type ValueField = TextField | NumberField | TimeField | BooleanField | ListField
export type FilterField = ValueField | SearchedField | MetadataField | AmountsField | PriceField | ScoreField

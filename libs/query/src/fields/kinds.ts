// Kinds of observation fields: their values in the column store and in memory, and their labels.
import type { Sql } from '../sql/sql.ts'
import type { EventRow } from './events.ts'

/**
 * The cost of a condition on the field. `key`: the query reads only some of the rows, because the table is sorted by the field. `indexed`:
 * an index lets the query skip most rows. `scan`: the query reads every row of the range.
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

/** A field whose value counts as missing if the text is empty. */
export type TextField = Valued<'text', string>
export type NumberField = Valued<'number', number | null>
/** Microseconds since the epoch. */
export type TimeField = Valued<'time', bigint | null>
export type BooleanField = Valued<'boolean', boolean>
export type ListField = Valued<'list', readonly string[]>
/** Input or output. events_core truncates inputs and outputs, and filters search them by tokens. */
export type SearchedField = Valued<'searched', string>
/** Numbers by name, such as usage by type. */
export type AmountsField = Valued<'amounts', Readonly<Record<string, number>>>
/** A price of the observation's model. The price comes from the model catalog, not from the column store. */
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

// What a field of an observation can be: its values in the column store and in memory, and for people.
import type { Sql } from '../sql/sql.ts'
import type { EventRow } from './events.ts'

/** `key`: narrows what is read by the table's own order. `indexed`: an index skips most of it. `scan`: every row of the range is looked at. */
export type Cost = 'key' | 'indexed' | 'scan'

interface Described {
  readonly id: string
  /** As the web app shows it. Filters take it in place of the id. */
  readonly label: string
  /** Further names that filters take. */
  readonly also?: readonly string[]
  readonly cost: Cost
  readonly help: string
}

interface Valued<Kind extends string, Value> extends Described {
  readonly kind: Kind
  readonly sql: Sql
  readonly of: (row: EventRow) => Value
}

/** No value is the empty text. */
export type TextField = Valued<'text', string>
export type NumberField = Valued<'number', number | null>
/** Microseconds since the epoch. */
export type TimeField = Valued<'time', bigint | null>
export type BooleanField = Valued<'boolean', boolean>
export type ListField = Valued<'list', readonly string[]>
/** Input and output: cut in events_core, and searched by tokens. */
export type SearchedField = Valued<'searched', string>
/** Numbers by name, such as those of usage types. */
export type AmountsField = Valued<'amounts', Readonly<Record<string, number>>>
/** Of the model whose prices apply, from the catalogue of models: neither in the column store nor in a row. */
export interface PriceField extends Described {
  readonly kind: 'price'
  readonly price: 'inputPrice' | 'outputPrice' | 'totalPrice'
}
export interface MetadataField extends Described {
  readonly kind: 'metadata'
  readonly of: 'event' | 'score'
}
/** Of scores, by their name: those on the observation, or those on its trace that have no observation. */
export interface ScoreField extends Described {
  readonly kind: 'scoreAverage' | 'scoreCategories' | 'scoreBooleans'
  readonly of: 'observation' | 'trace'
}

export type ValueField = TextField | NumberField | TimeField | BooleanField | ListField
export type FilterField = ValueField | SearchedField | MetadataField | AmountsField | PriceField | ScoreField

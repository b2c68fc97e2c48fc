// A row of the list of observations, and the values that a second request adds to the row.
import type { ResultOf } from '../api/client.ts'
import type { Leaf } from '../filter/choices.ts'
import type { Row } from './rows.ts'

export interface More {
  /** Totals over all observations of the trace. Only roots have totals. */
  readonly sums?: Pick<ResultOf<'webRows.more'>['sums'][number], 'observations' | 'cost' | 'tokens'> | undefined
  readonly metadata: Readonly<Record<string, Leaf>>
  /** The scores of the observation. For a root, also the scores of the trace. */
  readonly scores: Readonly<Record<string, { readonly value: number | string; readonly isOfTrace: boolean }>>
}

/** A row of the list. A second request adds `more` to the row. */
export interface ShownRow extends Row {
  readonly more?: More | undefined
}

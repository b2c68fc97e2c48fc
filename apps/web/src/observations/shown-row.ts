// A row of the table, with the columns that a second request reads.
import type { ResultOf } from '../api/client.ts'
import type { Leaf } from '../filter/choices.ts'
import type { Row } from './rows.ts'

export interface More {
  /** For a root, the sum over all observations of its trace. */
  readonly sums?: Pick<ResultOf<'webRows.more'>['sums'][number], 'observations' | 'cost' | 'tokens'> | undefined
  readonly metadata: Readonly<Record<string, Leaf>>
  /** A root also has the scores of its trace. */
  readonly scores: Readonly<Record<string, { readonly value: number | string; readonly isOfTrace: boolean }>>
}

/** A row with the data that the table shows. `more` is undefined at first, because a second request reads it. */
export interface ShownRow extends Row {
  readonly more?: More | undefined
}

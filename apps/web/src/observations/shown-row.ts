// A row of the table with the columns that a second request brings.
import type { ResultOf } from '../api/client.ts'
import type { Row } from './rows.ts'

export interface More {
  /** Of a root, over all observations of its trace. */
  readonly sums?: Pick<ResultOf<'webRows.more'>['sums'][number], 'observations' | 'cost' | 'tokens'> | undefined
  readonly metadata: Readonly<Record<string, string>>
  /** A root has the scores of its trace, too. */
  readonly scores: Readonly<Record<string, number | string>>
}

/** A row as the table shows it; `more` comes after the row. */
export interface ShownRow extends Row {
  readonly more?: More | undefined
}

// A row of the table with the columns that a second request fetches.
import type { ResultOf } from '../api/client.ts'
import type { Row } from './rows.ts'

export interface More {
  /** For a root, the sum over all observations of its trace. */
  readonly sums?: Pick<ResultOf<'webRows.more'>['sums'][number], 'observations' | 'cost' | 'tokens'> | undefined
  readonly metadata: Readonly<Record<string, string>>
  /** A root has the scores of its trace, too. */
  readonly scores: Readonly<Record<string, number | string>>
}

/** A row in the form in which the table shows it. A second request reads `more` after the row itself has been read. */
export interface ShownRow extends Row {
  readonly more?: More | undefined
}

import type { ScoreQuery } from '@svc-server/api/scores/query'
import { type ScoreRow, scoreView } from '@svc-server/query/scores'

export interface PageJob {
  readonly kind: 'page'
  readonly rows: readonly ScoreRow[]
  readonly projectId: string
  readonly groups: NonNullable<ScoreQuery['fields']>
  readonly meta: { readonly limit: number; readonly cursor?: string }
}

/** Returns the size of the scores' long fields. */
export const bytesOfPage = ({ rows }: PageJob): number =>
  rows.reduce(
    (sum, row) =>
      sum + row.long_string_value.length + [row.string_value, row.comment, row.metadata].reduce((of, text) => of + (text?.length ?? 0), 0),
    0,
  )

export const pageText = ({ rows, projectId, groups, meta }: PageJob): string =>
  JSON.stringify({ data: rows.map(row => scoreView(row, projectId, groups)), meta })

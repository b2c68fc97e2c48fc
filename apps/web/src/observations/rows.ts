// Pages of rows of a filter and a range, newest first. Everything that an answer depends on is in the query's key.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import type { FilterCondition } from '../filter/condition.ts'
import { defaultRange, rangeOrDefault } from '../search/range.ts'

export type Row = ResultOf<'webRows.list'>['data'][number]

/** Rows that the table keeps. More would be a list that nobody reads to its end. */
export const maxRows = 2_000
const pageSize = 100

export interface RowsOptions {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  /** As in the URL. */
  readonly t: string | undefined
}

export const rowKey = ({ traceId, id }: Pick<Row, 'traceId' | 'id'>): string => `${traceId}:${id}`

/** `isEnabled`: false while the filter has an error. */
export function useRows({ project, conditions, t = defaultRange }: RowsOptions, isEnabled: boolean) {
  // A relative range is fixed when it is read, so that all pages are of one list; reading again moves it.
  const [readAt, setReadAt] = useState(() => Date.now())
  const range = useMemo(() => rangeOrDefault(t, readAt), [t, readAt])
  const filter = JSON.stringify(conditions)
  const query = useInfiniteQuery({
    queryKey: ['rows', project, filter, range.fromMs, range.isRelative ? null : range.toMs],
    queryFn: ({ pageParam, signal }) =>
      call('webRows.list', {
        project,
        query: {
          limit: pageSize,
          cursor: pageParam,
          filter,
          fromStartTime: new Date(range.fromMs).toISOString(),
          toStartTime: range.isRelative ? undefined : new Date(range.toMs).toISOString(),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last, pages) => (pages.length * pageSize >= maxRows ? undefined : (last.meta.cursor ?? undefined)),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  return { ...query, rows, range, readAgain: () => setReadAt(Date.now()) }
}

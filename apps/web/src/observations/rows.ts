// Reads pages of rows for a filter and a range, newest first.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import type { FilterCondition } from '../filter/condition.ts'
import { defaultRange, rangeOrDefault, type TimeRange } from '../search/range.ts'
import type { Sort } from './sort.ts'

export type Row = ResultOf<'webRows.list'>['data'][number]

/** Maximum length of a list. No user reads a longer list to its end. */
export const maxRows = 2_000
const pageSize = 100
/** Maximum length of a sorted list, which has only one page. */
export const mostSorted = 1_000

export interface RowsOptions {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  readonly t: string | undefined
  /** The part of the page's time range that is read. Undefined for the whole range. */
  readonly part: TimeRange | undefined
  readonly sort: Sort | undefined
}

export const rowKey = ({ traceId, id }: Pick<Row, 'traceId' | 'id'>): string => `${traceId}:${id}`

export function useRows({ project, conditions, t = defaultRange, part, sort }: RowsOptions, isEnabled: boolean) {
  // A relative range ends at the time of the first read, so that all pages have the same range.
  const [readAt, setReadAt] = useState(() => Date.now())
  const range = useMemo(() => rangeOrDefault(t, readAt), [t, readAt])
  const filter = JSON.stringify(conditions)
  const { fromMs, toMs, isRelative } = part ?? range
  const query = useInfiniteQuery({
    queryKey: ['rows', project, filter, fromMs, isRelative ? null : toMs, sort?.by, sort?.isAscending],
    async queryFn({ pageParam, signal }): Promise<ResultOf<'webRows.list'>> {
      const filtered = {
        filter,
        fromStartTime: new Date(fromMs).toISOString(),
        toStartTime: isRelative ? undefined : new Date(toMs).toISOString(),
      }
      if (sort === undefined) return call('webRows.list', { project, query: { ...filtered, limit: pageSize, cursor: pageParam }, signal })
      const direction = sort.isAscending ? 'asc' : 'desc'
      const { data } = await call('webRows.top', { project, query: { ...filtered, by: sort.by, direction, limit: mostSorted }, signal })
      return { data, meta: {} }
    },
    initialPageParam: '',
    getNextPageParam: (last, pages) => (pages.length * pageSize >= maxRows ? undefined : (last.meta.cursor ?? undefined)),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  return { ...query, rows, range, readAgain: () => setReadAt(Date.now()) }
}

// Additional data of rows, such as trace totals and scores.
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import type { Column } from './columns.tsx'
import { type Row, rowKey } from './rows.ts'
import type { More, ShownRow } from './shown-row.ts'

type Loaded = ResultOf<'webRows.more'>

const rowsOfARequest = 100
/** New rows join the last group of `useChunks` while this group has fewer rows than this number. Fewer groups need fewer requests. */
const openRows = 20
const summed = new Set(['cost', 'tokens'])

interface Maps {
  readonly sums: ReadonlyMap<string, More['sums']>
  readonly metadata: ReadonlyMap<string, More['metadata']>
  readonly scores: ReadonlyMap<string, More['scores']>
}

const ofTrace = (traceId: string) => `${traceId}:`

/**
 * This function is defined outside of the component and is always the same function, so that useQueries calls it again only when a result
 * changes.
 */
function combine(results: readonly UseQueryResult<Loaded>[]): Maps {
  const scores = new Map<string, More['scores']>()
  for (const { traceId, observationId, name, value } of results.flatMap(({ data }) => data?.scores ?? [])) {
    const isOfTrace = observationId === null
    const key = isOfTrace ? ofTrace(traceId) : rowKey({ traceId, id: observationId })
    scores.set(key, { ...scores.get(key), [name]: { value, isOfTrace } })
  }
  return {
    sums: new Map(results.flatMap(({ data }) => data?.sums.map(each => [each.traceId, each] as const) ?? [])),
    metadata: new Map(results.flatMap(({ data }) => data?.rows.map(each => [rowKey(each), each.metadata] as const) ?? [])),
    scores,
  }
}

/**
 * Divides rows into groups, one for each request. A row never moves to another group. New rows change the last existing group only if this
 * group has fewer than `openRows` rows. New rows never change any other existing group.
 */
function useChunks(rows: readonly Row[]): readonly (readonly Row[])[] {
  const before = useRef<readonly (readonly Row[])[]>([])
  return useMemo(() => {
    const shown = new Set(rows.map(rowKey))
    const kept = before.current.filter(chunk => chunk.some(row => shown.has(rowKey(row))))
    const known = new Set(kept.flat().map(rowKey))
    const fresh = rows.filter(row => !known.has(rowKey(row)))
    const last = kept.at(-1)
    const isOpen = fresh.length > 0 && last !== undefined && last.length < openRows
    const rest = isOpen ? [...last, ...fresh] : fresh
    const starts = Array.from({ length: Math.ceil(rest.length / rowsOfARequest) }, (_, at) => at * rowsOfARequest)
    before.current = [...(isOpen ? kept.slice(0, -1) : kept), ...starts.map(from => rest.slice(from, from + rowsOfARequest))]
    return before.current
  }, [rows])
}

export function useMore(project: string, rows: readonly Row[], columns: readonly Column[]): readonly ShownRow[] {
  const metadata = columns.flatMap(({ leaf }) => leaf ?? [])
  const scores = columns.flatMap(({ score }) => score ?? [])
  const hasSums = columns.some(({ id }) => summed.has(id))
  const chunks = useChunks(rows)
  const isAsked = hasSums || metadata.length > 0 || scores.length > 0
  const maps = useQueries({
    queries: chunks.map(chunk => ({
      queryKey: ['more', project, metadata, scores, hasSums, chunk.map(rowKey).join(' ')],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        call('webRows.more', {
          project,
          body: {
            rows: chunk.map(({ traceId, id }) => ({ traceId, id })),
            ...{ metadata, scores },
            sumsOf: hasSums ? chunk.filter(({ isRoot }) => isRoot).map(({ traceId }) => traceId) : [],
          },
          signal,
        }),
      enabled: isAsked,
      staleTime: 60_000,
      // If the rows of a chunk change, the query key changes, and no query uses the old key again. The cache soon drops the old result.
      gcTime: 30_000,
    })),
    combine,
  })
  return useMemo(() => {
    if (!isAsked) return rows
    return rows.map(row => {
      const key = rowKey(row)
      const more: More = {
        sums: row.isRoot ? maps.sums.get(row.traceId) : undefined,
        metadata: maps.metadata.get(key) ?? {},
        scores: { ...(row.isRoot && maps.scores.get(ofTrace(row.traceId))), ...maps.scores.get(key) },
      }
      return { ...row, more }
    })
  }, [rows, maps, isAsked])
}

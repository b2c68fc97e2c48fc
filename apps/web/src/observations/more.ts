// Additional data for rows: sums over the traces of roots, and metadata and scores for columns that the user has added.
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import type { Column } from './columns.tsx'
import { type Row, rowKey } from './rows.ts'
import type { More, ShownRow } from './shown-row.ts'

type Loaded = ResultOf<'webRows.more'>

const rowsOfARequest = 100
/** Columns that show sums. */
const summed = new Set(['cost', 'tokens'])

interface Maps {
  readonly sums: ReadonlyMap<string, More['sums']>
  readonly metadata: ReadonlyMap<string, More['metadata']>
  readonly scores: ReadonlyMap<string, More['scores']>
}

const ofTrace = (traceId: string) => `${traceId}:`

/** This is a constant function, so that the combined value stays the same object until a result changes. */
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

export function useMore(project: string, rows: readonly Row[], columns: readonly Column[]): readonly ShownRow[] {
  const metadata = columns.flatMap(({ leaf }) => leaf ?? [])
  const scores = columns.flatMap(({ score }) => score ?? [])
  const hasSums = columns.some(({ id }) => summed.has(id))
  const chunks = useMemo(() => {
    const starts = Array.from({ length: Math.ceil(rows.length / rowsOfARequest) }, (_, at) => at * rowsOfARequest)
    return starts.map(from => rows.slice(from, from + rowsOfARequest))
  }, [rows])
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

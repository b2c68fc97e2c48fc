// A list of observations in the tables of v3, newest first, for the page's time range.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, type ResultOf } from '../api/client.ts'
import { Button } from '../design/button.tsx'
import { ErrorMark, Glyph } from '../design/glyph.tsx'
import { Page } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { useRange } from '../search/use-range.ts'
import { oldText as text } from '../text/old.ts'
import { cost, dayAndTime, duration, everyForm, shortCount } from '../text/units.ts'

type OldRow = ResultOf<'legacy.listObservations'>['data'][number]

const pageRows = 50

function useOldRows(project: string) {
  const { fromMs, toMs } = useRange()
  return useInfiniteQuery({
    queryKey: ['old-rows', project, fromMs, toMs],
    queryFn: ({ pageParam, signal }) => {
      const [fromStartTime, toStartTime] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
      return call('legacy.listObservations', { project, query: { page: pageParam, limit: pageRows, fromStartTime, toStartTime }, signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta: { page, totalPages } }) => (page < totalPages ? page + 1 : undefined),
  })
}

const columnsOf = (projectId: string): readonly PlainColumn<OldRow>[] => [
  {
    title: text.columns.time,
    show: ({ startTime }) => (
      <time dateTime={startTime} title={everyForm(startTime)}>
        {dayAndTime(startTime)}
      </time>
    ),
  },
  {
    title: text.columns.name,
    show({ id, traceId, name, type, level, statusMessage }) {
      const shown = <bdi>{name ?? id}</bdi>
      return (
        <>
          <Glyph type={type} />{' '}
          {traceId === null ? (
            shown
          ) : (
            <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId }} search={{ o: id }}>
              {shown}
            </Link>
          )}{' '}
          {level === 'ERROR' && <ErrorMark label={statusMessage ?? level.toLowerCase()} />}
        </>
      )
    },
  },
  { title: text.columns.model, show: ({ model }) => model },
  { title: text.columns.latency, isNumeric: true, show: ({ latency }) => latency !== null && duration(latency * 1_000) },
  { title: text.columns.tokens, isNumeric: true, show: ({ totalTokens }) => totalTokens > 0 && shortCount(totalTokens) },
  {
    title: text.columns.cost,
    isNumeric: true,
    show: ({ calculatedTotalCost }) => calculatedTotalCost !== null && calculatedTotalCost > 0 && cost(calculatedTotalCost),
  },
]

export function OldObservations({ project }: { readonly project: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useOldRows(project)
  return (
    <Page title={text.title} help={text.explains}>
      <PlainTable
        label={text.title}
        columns={columnsOf(project)}
        lines={data?.pages.flatMap(page => page.data)}
        keyOf={({ id }) => id}
        empty={text.empty}
        error={error}
        onRetry={() => void refetch()}
      />
      {hasNextPage && (
        <Button onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
          {text.more}
        </Button>
      )}
    </Page>
  )
}

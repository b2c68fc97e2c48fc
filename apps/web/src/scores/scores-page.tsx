// A list of scores, newest first.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { call, type ResultOf } from '../api/client.ts'
import { Button } from '../design/button.tsx'
import { Page } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { useRange } from '../search/use-range.ts'
import { placesText } from '../text/places.ts'
import { dayAndTime, everyForm } from '../text/units.ts'

type Score = ResultOf<'scores.getMany'>['data'][number]

const text = placesText.scores

function useScores(project: string) {
  const { fromMs, toMs } = useRange()
  return useInfiniteQuery({
    queryKey: ['scores', project, fromMs, toMs],
    queryFn: ({ pageParam, signal }) =>
      call('scores.getMany', {
        project,
        query: {
          limit: 100,
          cursor: pageParam,
          fields: 'core,details,subject',
          fromTimestamp: new Date(fromMs).toISOString(),
          toTimestamp: new Date(toMs).toISOString(),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: last => last.meta.cursor ?? undefined,
  })
}

function Subject({ of, projectId }: { readonly of: Score; readonly projectId: string }) {
  const { subject } = of
  if (subject === undefined) return null
  if (subject.kind === 'session') {
    return (
      <Link to="/project/$projectId/sessions/$sessionId" params={{ projectId, sessionId: subject.id }} search={{}}>
        {subject.kind} {subject.id}
      </Link>
    )
  }
  const traceId = subject.kind === 'trace' ? subject.id : subject.kind === 'observation' ? subject.traceId : undefined
  if (traceId === undefined) return `${subject.kind} ${subject.id}`
  const search = subject.kind === 'observation' ? { o: subject.id } : {}
  return (
    <Link to="/project/$projectId/traces/$traceId" params={{ projectId, traceId }} search={search}>
      {subject.kind} {subject.id}
    </Link>
  )
}

export function ScoresPage() {
  const { projectId } = useParams({ from: '/signed-in/project/$projectId' })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useScores(projectId)
  const columns: readonly PlainColumn<Score>[] = [
    {
      title: text.time,
      show: ({ timestamp }) => (
        <time dateTime={timestamp} title={everyForm(timestamp)}>
          {dayAndTime(timestamp)}
        </time>
      ),
    },
    { title: text.name, show: ({ name }) => name },
    { title: text.value, isNumeric: true, show: ({ value }) => String(value) },
    { title: text.source, show: ({ source }) => source.toLowerCase() },
    { title: text.subject, show: score => <Subject of={score} projectId={projectId} /> },
    { title: text.comment, show: ({ comment }) => comment },
  ]
  return (
    <Page title={text.title} help={text.help}>
      <PlainTable
        label={text.title}
        columns={columns}
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

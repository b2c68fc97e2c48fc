// A list of observations in the tables of v3, newest first, for the page's time range.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import { Button } from '../design/button.tsx'
import { ErrorMark, Glyph } from '../design/glyph.tsx'
import { Page } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import type { FilterCondition } from '../filter/condition.ts'
import { useKeys } from '../keys/keys.ts'
import { FilterBar } from '../observations/filter-bar.tsx'
import type { Pasted } from '../observations/pasted.ts'
import type { PageSearch } from '../search/search.ts'
import { useRange } from '../search/use-range.ts'
import { observationsText } from '../text/observations.ts'
import { oldText as text } from '../text/old.ts'
import { cost, dayAndTime, duration, everyForm, shortCount } from '../text/units.ts'
import css from './old.module.css'
import { oldColumns, oldFilterOf } from './old-filter.ts'

type OldRow = ResultOf<'legacy.listObservations'>['data'][number]

const pageRows = 50

/** Interval at which a live list requests its rows again. The server pushes no events for the tables of v3. */
const liveMs = 3_000

function useOldRows(project: string, conditions: readonly FilterCondition[], isLive: boolean, isEnabled: boolean) {
  const { fromMs, toMs, isRelative } = useRange()
  const filter = conditions.length === 0 ? undefined : JSON.stringify(conditions)
  return useInfiniteQuery({
    queryKey: ['old-rows', project, filter, fromMs, toMs],
    queryFn: ({ pageParam, signal }) => {
      const fromStartTime = new Date(fromMs).toISOString()
      const toStartTime = isRelative ? undefined : new Date(toMs).toISOString()
      const query = { page: pageParam, limit: pageRows, fromStartTime, toStartTime, filter }
      return call('legacy.listObservations', { project, query, signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta: { page, totalPages } }) => (page < totalPages ? page + 1 : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? liveMs : false,
    enabled: isEnabled,
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

async function findOldId(project: string, id: string): Promise<{ readonly traceId: string; readonly o?: string } | undefined> {
  const first = async (column: 'id' | 'traceId') => {
    const filter = JSON.stringify([{ type: 'string', column, operator: '=', value: id }])
    return (await call('legacy.listObservations', { project, query: { limit: 1, filter } })).data[0]
  }
  const [ofTrace, observation] = await Promise.all([first('traceId'), first('id')])
  if (ofTrace?.traceId != null) return { traceId: ofTrace.traceId }
  return observation?.traceId == null ? undefined : { traceId: observation.traceId, o: observation.id }
}

export function OldObservations({ project }: { readonly project: string }) {
  const { q = '', live } = useSearch({ from: '/signed-in/project/$projectId' })
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [note, setNote] = useState<string>()
  const isLive = live === '1'
  const filter = oldFilterOf(q)
  const rows = useOldRows(project, filter?.conditions ?? [], isLive, filter !== undefined)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = rows
  const change = (search: PageSearch) => void navigate({ to: '.', search: (before: PageSearch) => ({ ...before, ...search }) })
  const toggleLive = () => change({ live: isLive ? undefined : '1' })
  const openTrace = (traceId: string, o: string | undefined) =>
    void navigate({ to: '/project/$projectId/traces/$traceId', params: { projectId: project, traceId }, search: { o } })

  async function follow(pasted: Pasted): Promise<void> {
    setNote(undefined)
    if (pasted.kind === 'trace') return openTrace(pasted.traceId, pasted.observationId)
    if (pasted.kind === 'filter') return change({ q: pasted.text })
    const found = await findOldId(project, pasted.id)
    if (found === undefined) setNote(text.noId(pasted.id))
    else openTrace(found.traceId, found.o)
  }

  useKeys([
    { key: '/', says: observationsText.keys.filter, run: () => input.current?.focus() },
    { key: 'l', says: observationsText.keys.live, run: toggleLive },
  ])
  return (
    <Page title={text.title} help={text.explains}>
      <FilterBar
        project={project}
        value={q}
        input={input}
        note={note}
        columns={oldColumns}
        onApply={next => change({ q: next === '' ? undefined : next })}
        onPasted={pasted => void follow(pasted).catch((failure: Error) => setNote(failure.message))}
      />
      <div className={css['tools']}>
        {filter !== undefined && filter.setAside.length > 0 && <p role="status">{text.setAside(filter.setAside.join(' '))}</p>}
        <Button look="quiet" aria-pressed={isLive} onClick={toggleLive} title={text.liveHelp}>
          {observationsText.live}
        </Button>
      </div>
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

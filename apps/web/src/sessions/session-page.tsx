// The page that shows a session as a conversation. Each root observation of the session is one turn.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { call } from '../api/client.ts'
import { ErrorMark, Glyph } from '../design/glyph.tsx'
import { Page } from '../design/page.tsx'
import { Empty, Failed, Loading } from '../design/states.tsx'
import type { FilterCondition } from '../filter/condition.ts'
import { observationsText } from '../text/observations.ts'
import { placesText } from '../text/places.ts'
import { count, dayAndTime, duration, everyForm } from '../text/units.ts'
import css from './session.module.css'

const text = placesText.sessions
const mostTurns = 200

function useTurns(project: string, session: string) {
  return useQuery({
    queryKey: ['turns', project, session],
    async queryFn({ signal }) {
      const conditions: readonly FilterCondition[] = [
        { type: 'string', column: 'sessionId', operator: '=', value: session },
        { type: 'boolean', column: 'isRootObservation', operator: '=', value: true },
      ]
      const { data } = await call('webRows.list', { project, query: { limit: mostTurns, filter: JSON.stringify(conditions) }, signal })
      return data.toReversed()
    },
  })
}

function Said({ title, value, length }: { readonly title: string; readonly value: string | null; readonly length: number }) {
  if (value === null) return null
  return (
    <div>
      <h3 className={css['label']}>{title}</h3>
      <p className={css['text']}>{value}</p>
      {length > value.length && <p className={css['muted']}>{observationsText.cell.cut(count(value.length), count(length))}</p>}
    </div>
  )
}

export function SessionPage() {
  const { projectId, sessionId } = useParams({ from: '/signed-in/project/$projectId/sessions/$sessionId' })
  const { data, error, refetch } = useTurns(projectId, sessionId)
  return (
    <Page
      title={text.one(sessionId)}
      {...(data && { help: (data.length < mostTurns ? text.turns : text.newestTurns)(count(data.length)) })}
    >
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data?.length === 0 && <Empty title={text.empty} />}
      <ol className={css['turns']}>
        {data?.map(turn => (
          <li key={turn.traceId + turn.id} className={css['turn']}>
            <header className={css['head']}>
              <Glyph type={turn.type} />
              {turn.level === 'ERROR' && <ErrorMark label={observationsText.cell.error} />}
              <h2 className={css['name']}>{turn.name ?? turn.id}</h2>
              <time className={css['muted']} dateTime={turn.startTime} title={everyForm(turn.startTime)}>
                {dayAndTime(turn.startTime)}
              </time>
              {turn.latency !== null && <span className={css['muted']}>{duration(turn.latency * 1_000)}</span>}
              <Link
                className={css['open']}
                to="/project/$projectId/traces/$traceId"
                params={{ projectId, traceId: turn.traceId }}
                search={{ o: turn.id }}
              >
                {text.openTrace}
              </Link>
            </header>
            <Said title={text.said} value={turn.input} length={turn.inputLength} />
            <Said title={text.answered} value={turn.output} length={turn.outputLength} />
            {turn.statusMessage !== null && <p className={css['status']}>{turn.statusMessage}</p>}
          </li>
        ))}
      </ol>
    </Page>
  )
}

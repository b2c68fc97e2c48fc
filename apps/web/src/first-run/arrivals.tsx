// Lists the newest requests that used a key of the project, both accepted and refused requests.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import { arrivalsText as text } from '../text/first-run.ts'
import { duration, everyForm, timeOfDay } from '../text/units.ts'
import css from './arrivals.module.css'

type Arrival = ResultOf<'webWhere.arrivals'>['arrivals'][number]

const pollMs = 1_500

/** Returns where the trace is (for example, on the log or stored), and the time at which the page first saw the trace's row. */
function useRow(project: string, traceId: string | null) {
  const seen = useRef(new Map<string, number>())
  const { data } = useQuery({
    queryKey: ['arrivals', project, 'where', traceId],
    queryFn: async ({ signal }) => {
      const where = await call('webWhere.trace', { params: { projectId: project, traceId: traceId ?? '' }, signal })
      if (where.state === 'stored' && !seen.current.has(where.traceId)) seen.current.set(where.traceId, Date.now())
      return { ...where, seenAtMs: seen.current.get(where.traceId) }
    },
    enabled: traceId !== null,
    retry: false,
    refetchInterval: ({ state }) => (state.data?.state === 'stored' ? false : pollMs),
  })
  return data
}

const shortKey = (key: string) => (key.length <= 16 ? key : `${key.slice(0, 7)}…${key.slice(-4)}`)

function Time({ at }: { readonly at: string | number }) {
  return <time title={everyForm(at)}>{timeOfDay(at)}</time>
}

interface AcceptedProps {
  readonly project: string
  readonly arrival: Arrival
  /** True if the request arrived while the page was open. */
  readonly isLive: boolean
}

function Accepted({ project, arrival, isLive }: AcceptedProps) {
  const { traceId, receivedAt, loggedAt } = arrival
  const row = useRow(project, traceId)
  const isStored = row?.state === 'stored'
  const isLost = row?.state === 'dead_lettered' || row?.state === 'deleted'
  return (
    <li className={css['accepted']}>
      <span>
        <b aria-hidden="true">✓</b> <Time at={receivedAt} /> {text.accepted(arrival.spans)}
      </span>
      {loggedAt !== null && (
        <span>
          <b aria-hidden="true">✓</b> {text.onTheLog(duration(Math.max(0, Date.parse(loggedAt) - Date.parse(receivedAt))))}
        </span>
      )}
      {isStored ? (
        <span>
          <b aria-hidden="true">✓</b> {isLive && row.seenAtMs !== undefined && <Time at={row.seenAtMs} />} {text.row}
        </span>
      ) : (
        <span className={isLost ? css['refused'] : css['waits']}>{row === undefined ? text.rowWaits : row.message}</span>
      )}
      {traceId !== null && isStored && (
        <Link to="/project/$projectId/traces/$traceId" params={{ projectId: project, traceId }} search={{}}>
          {text.open}
        </Link>
      )}
    </li>
  )
}

const whyOf = ({ reason, message, publicKey }: Arrival): string =>
  reason === 'key_unknown' ? text.wrongSecret(shortKey(publicKey)) : message

export function Arrivals({ project }: { readonly project: string }) {
  const { data } = useQuery({
    queryKey: ['arrivals', project],
    queryFn: ({ signal }) => call('webWhere.arrivals', { project, signal }),
    refetchInterval: pollMs,
  })
  const accepted = data?.arrivals.find(({ outcome }) => outcome === 'accepted')
  const before = useRef<string | null>(undefined)
  if (before.current === undefined && data !== undefined) before.current = accepted?.receivedAt ?? null
  if (data === undefined || data.arrivals.length === 0) return null
  const others = data.arrivals.filter(({ outcome }) => outcome !== 'accepted')
  return (
    <div role="log" aria-label={text.title}>
      <ul className={css['list']}>
        {accepted && <Accepted project={project} arrival={accepted} isLive={accepted.receivedAt !== before.current} />}
        {others.map(arrival => (
          <li key={`${arrival.publicKey} ${arrival.outcome} ${arrival.reason}`} className={css['refused']}>
            <b aria-hidden="true">✕</b> <Time at={arrival.receivedAt} /> {arrival.outcome === 'refused' && arrival.status} {whyOf(arrival)}{' '}
            {arrival.requests > 1 && <span className={css['waits']}>{text.times(arrival.requests)}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

// Shows whether all spans of a trace are stored, and where missing spans are.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { useCompleteUntil } from '../api/freshness.ts'
import { Button } from '../design/button.tsx'
import { text } from '../text/strings.ts'
import { traceText } from '../text/trace.ts'
import { timeOfDay } from '../text/units.ts'
import { type TraceRef, treeQuery } from './load.ts'
import type { Head } from './model/model.ts'
import css from './trace.module.css'

const { where: says } = traceText

const againMs = 10_000
/** Age up to which the log is queried repeatedly. For an older trace, the log is queried only once. */
const youngMs = 15 * 60_000

const whereQuery = ({ project, trace, from }: TraceRef) => ({
  queryKey: ['trace', project, trace, from, 'where'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    call('webWhere.trace', { params: { projectId: project, traceId: trace }, signal }),
  enabled: from === 'project',
  retry: false,
  staleTime: againMs,
})

type Where = Awaited<ReturnType<ReturnType<typeof whereQuery>['queryFn']>>

const isOnItsWay = ({ inWindow, onTheLog }: Where) => inWindow.spans + onTheLog.spans > 0

export function Completeness({ traceRef, head }: { readonly traceRef: TraceRef; readonly head: Head }) {
  const until = useCompleteUntil()
  const queries = useQueryClient()
  const isYoung = Date.now() - head.endUs / 1000 < youngMs
  const { data } = useQuery({
    ...whereQuery(traceRef),
    refetchInterval: ({ state }) => (isYoung || (state.data !== undefined && isOnItsWay(state.data)) ? againMs : false),
  })
  const arrived = (data?.stored.observations ?? 0) - head.observations
  return (
    <>
      {data !== undefined && isOnItsWay(data) ? (
        <li className={css['waits']} title={data.message}>
          {data.inWindow.spans > 0 && data.inWindow.until !== null
            ? says.inWindow(data.inWindow.spans, timeOfDay(data.inWindow.until))
            : says.onTheLog(data.onTheLog.spans)}
        </li>
      ) : until === undefined ? null : until * 1000 > head.endUs ? (
        <li
          className={css['complete']}
          title={`${text.shell.completeUntil(timeOfDay(until))}${data === undefined ? '' : `\n${data.message}`}`}
        >
          {traceText.complete}
        </li>
      ) : (
        <li title={text.shell.freshnessHelp}>{text.shell.completeUntil(timeOfDay(until))}</li>
      )}
      {data !== undefined && data.deadLetters.length > 0 && (
        <li className={css['errors']} title={data.deadLetters[0]!.message}>
          {says.deadLettered(data.deadLetters.length)}
        </li>
      )}
      {arrived > 0 && (
        <li>
          <Button look="quiet" onClick={() => void queries.invalidateQueries({ queryKey: treeQuery(traceRef).queryKey })}>
            {says.arrived(arrived)}
          </Button>
        </li>
      )}
    </>
  )
}

/** Polls until the trace is stored. */
export function WhereMissing({ traceRef }: { readonly traceRef: TraceRef }) {
  const queries = useQueryClient()
  const { data } = useQuery({ ...whereQuery(traceRef), refetchInterval: againMs / 2 })
  if (data === undefined) return null
  return (
    <>
      <p role="status">{data.message}</p>
      {data.stored.observations > 0 && (
        <Button onClick={() => void queries.invalidateQueries({ queryKey: treeQuery(traceRef).queryKey })}>{says.open}</Button>
      )}
    </>
  )
}

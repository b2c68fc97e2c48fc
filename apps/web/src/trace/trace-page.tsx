// The page of a trace. When the user opens an observation in the list, the list writes the observation's id to the page's URL. If another
// component changes the URL, the list opens the observation of the new URL.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { Empty, Failed, Loading, StateOfPage } from '../design/states.tsx'
import { signInText } from '../text/sign-in.ts'
import { traceText } from '../text/trace.ts'
import { type TraceRef, treeQuery } from './load.ts'
import { rowOf } from './model/model.ts'
import { textAt } from './model/packed.ts'
import { TraceView } from './trace-view.tsx'
import { WhereMissing } from './where.tsx'

export function TracePage() {
  const { projectId, traceId } = useParams({ strict: false })
  return <LoadedTrace key={`${projectId} ${traceId}`} project={projectId!} trace={traceId!} from="project" />
}

export function PublicTracePage() {
  const { projectId, traceId } = useParams({ strict: false })
  return <LoadedTrace key={`${projectId} ${traceId}`} project={projectId!} trace={traceId!} from="public" />
}

export function OldTracePage() {
  const { projectId, traceId } = useParams({ strict: false })
  return <LoadedTrace key={`${projectId} ${traceId}`} project={projectId!} trace={traceId!} from="old" />
}

/** More rows would make the request's URL too long. */
const mostOpened = 50

function LoadedTrace({ project, trace, from }: TraceRef) {
  const traceRef = useMemo(() => ({ project, trace, from }), [project, trace, from])
  const { o } = useSearch({ strict: false })
  // The response for a large trace contains only some observations. The first request therefore contains the id of the observation to which
  // the link leads (`o`), so that the response contains this observation.
  const [linked] = useState(o)
  const [opened, setOpened] = useState<readonly string[]>(linked === undefined ? [] : [linked])
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...treeQuery(traceRef, opened),
    placeholderData: (before, query) => (query?.queryKey[2] === trace && query.queryKey[3] === from ? before : undefined),
  })
  const navigate = useNavigate()
  const open = useCallback((id: string) => setOpened(before => [...before.filter(each => each !== id), id].slice(-mostOpened)), [])
  const isOpened = o !== undefined && opened.includes(o)
  useEffect(() => {
    // If the URL changes to an observation that is not loaded, the page loads this observation.
    if (data === undefined || isPlaceholderData || o === undefined || isOpened || data.hidden.every(rows => rows === 0)) return
    if (rowOf(data, textAt, o) < 0) open(o)
  }, [data, isPlaceholderData, o, isOpened, open])
  const shown = useRef({ data, version: 0 })
  if (shown.current.data !== data) shown.current = { data, version: shown.current.version + 1 }
  if (data === undefined) {
    const isMissing = error instanceof ApiError && error.status === 404
    return (
      <StateOfPage title={traceText.title}>
        {isMissing && <Missing traceRef={traceRef} />}
        {error !== null && !isMissing && <Failed error={error} onRetry={() => void refetch()} />}
        {error === null && <Loading rows={16} label={traceText.loading} />}
      </StateOfPage>
    )
  }
  const linkTo = (next: string) =>
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, o: next }), replace: true, resetScroll: false })
  return (
    <TraceView
      key={`${traceRef.project} ${traceRef.trace} ${shown.current.version}`}
      traceRef={traceRef}
      model={data}
      observation={o}
      opened={opened.filter(id => id !== linked)}
      isLoading={isPlaceholderData}
      onObservation={linkTo}
      onHidden={id => {
        linkTo(id)
        open(id)
      }}
      onTrace={next =>
        void navigate({ to: '/project/$projectId/traces/$traceId', params: { projectId: traceRef.project, traceId: next }, search: {} })
      }
    />
  )
}

function Missing({ traceRef }: { readonly traceRef: TraceRef }) {
  return (
    <Empty title={traceText.missing}>
      <p>{traceText.missingHelp}</p>
      {traceRef.from === 'project' && <WhereMissing traceRef={traceRef} />}
      {traceRef.from === 'public' && (
        <p>
          {traceText.signInHelp} <Link to="/sign-in">{signInText.title}</Link>
        </p>
      )}
    </Empty>
  )
}

// The page of a trace. The page's address names the open observation (`o`). The list writes the address. The list reads the address when a
// different component has changed the address.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ApiError } from '../api/client.ts'
import { Empty, Failed, Loading, StateOfPage } from '../design/states.tsx'
import { signInText } from '../text/sign-in.ts'
import { traceText } from '../text/trace.ts'
import { type TraceRef, treeQuery } from './load.ts'
import { TraceView } from './trace-view.tsx'
import { WhereMissing } from './where.tsx'

/** The page of a trace for a signed-in user. */
export function TracePage() {
  const { projectId, traceId } = useParams({ strict: false })
  return <LoadedTrace project={projectId!} trace={traceId!} from="project" />
}

/** The page of a public trace, which needs no sign-in. */
export function PublicTracePage() {
  const { projectId, traceId } = useParams({ strict: false })
  return <LoadedTrace project={projectId!} trace={traceId!} from="public" />
}

/** The page of a trace for a user who reads the tables of v3. */
export function OldTracePage() {
  const { projectId, traceId } = useParams({ strict: false })
  return <LoadedTrace project={projectId!} trace={traceId!} from="old" />
}

function LoadedTrace({ project, trace, from }: TraceRef) {
  const traceRef = useMemo(() => ({ project, trace, from }), [project, trace, from])
  const { data, dataUpdatedAt, error, refetch } = useQuery(treeQuery(traceRef))
  const { o } = useSearch({ strict: false })
  const navigate = useNavigate()
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
  return (
    <TraceView
      key={`${traceRef.project} ${traceRef.trace} ${dataUpdatedAt}`}
      traceRef={traceRef}
      model={data}
      observation={o}
      onObservation={next =>
        void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, o: next }), replace: true, resetScroll: false })
      }
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

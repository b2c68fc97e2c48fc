// The pages of a project while the web app reads v3's tables: a list, traces, and settings.
import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTables } from '../api/tables.ts'
import { Empty, Loading } from '../design/states.tsx'
import { oldText as text } from '../text/old.ts'
import { OldObservations } from './old-observations.tsx'

const OldTracePage = lazy(() => import('../trace/trace-page.tsx').then(module => ({ default: module.OldTracePage })))

export function OldPlace() {
  const { projectId = '', traceId } = useParams({ strict: false })
  const { pathname } = useLocation()
  const { isChoice } = useTables()
  if (/\/settings\/?$/.test(pathname)) return <Outlet />
  if (traceId !== undefined)
    return (
      <Suspense fallback={<Loading />}>
        <OldTracePage />
      </Suspense>
    )
  if (/\/observations\/?$/.test(pathname)) return <OldObservations project={projectId} />
  return (
    <Empty title={text.needsNew}>
      <p>{isChoice ? text.switchHelp : text.waitHelp}</p>
    </Empty>
  )
}

// Shown if no row matches.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { call } from '../api/client.ts'
import { Button } from '../design/button.tsx'
import { Empty, Loading } from '../design/states.tsx'
import type { Term } from '../filter/tokens.ts'
import { defaultRange } from '../search/range.ts'
import type { PageSearch } from '../search/search.ts'
import { observationsText as text } from '../text/observations.ts'
import { text as shared } from '../text/strings.ts'
import css from './empty-rows.module.css'

const FirstRun = lazy(() => import('../first-run/first-run.tsx').then(module => ({ default: module.FirstRun })))

interface EmptyRowsProps {
  readonly project: string
  readonly q: string
  readonly terms: readonly Term[]
  readonly t: string | undefined
  readonly onChange: (change: PageSearch) => void
  readonly onRead: () => void
}

export function EmptyRows({ project, q, terms, t = defaultRange, onChange, onRead }: EmptyRowsProps) {
  const any = useQuery({
    queryKey: ['any', project],
    queryFn: async ({ signal }) => (await call('webRows.list', { project, query: { limit: 1 }, signal })).data.length > 0,
  })
  if (any.isPending) return <Loading />
  if (any.data === false) {
    return (
      <Suspense fallback={<Loading />}>
        <FirstRun project={project} onArrived={onRead} />
      </Suspense>
    )
  }
  return (
    <Empty title={text.empty}>
      <p>{text.emptyRange(shared.shell.ranges[t] ?? t.replace('..', ' – '))}</p>
      {terms.length > 0 && <p>{text.emptyFilter}</p>}
      <div className={css['actions']}>
        {terms.map(({ from, to }) => (
          <Button key={from} onClick={() => onChange({ q: `${q.slice(0, from)}${q.slice(to)}`.replaceAll(/\s+/g, ' ').trim() })}>
            {text.drop(q.slice(from, to))}
          </Button>
        ))}
        {t !== '30d' && t !== '90d' && (
          <Button look="primary" onClick={() => onChange({ t: '30d' })}>
            {text.widen}
          </Button>
        )}
      </div>
    </Empty>
  )
}

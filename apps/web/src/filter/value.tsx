// A value outside of the table, with the same menu as values in the table.
import { useParams, useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { pageSearch } from '../search/search.ts'
import type { FilterCondition } from './condition.ts'
import { defaultFilter } from './default.ts'
import css from './value-menu.module.css'
import { ValueMenu } from './value-menu.tsx'

interface ValueProps {
  /** Column of the filter API. */
  readonly column: string
  readonly title: string
  readonly value: string
  /** True if the value belongs to a whole trace. If it is false, the filter also shows observations that are not roots. */
  readonly isOfTrace?: boolean
  readonly children?: ReactNode
}

function conditionOf(column: string, value: string, isNot: boolean): FilterCondition {
  if (column === 'traceTags') return { type: 'arrayOptions', column, operator: isNot ? 'none of' : 'any of', value: [value] }
  return isNot ? { type: 'stringOptions', column, operator: 'none of', value: [value] } : { type: 'string', column, operator: '=', value }
}

/** On the observations page, the value is added to the current filter. On all other pages, the value becomes the whole filter. */
export function Value({ column, title, value, isOfTrace = false, children = value }: ValueProps) {
  const { projectId } = useParams({ strict: false })
  const router = useRouter()
  const [at, setAt] = useState<DOMRect>()
  if (projectId === undefined) return children
  function filterBy(term: string): void {
    const { pathname, search } = router.latestLocation
    const isThere = pathname.endsWith('/observations')
    const { q = isThere || isOfTrace ? defaultFilter : '', ...rest } = isThere ? pageSearch(search) : {}
    const next = { ...rest, q: `${q} ${term}`.trim(), peek: undefined }
    void router.navigate({ to: '/project/$projectId/observations', params: { projectId: projectId! }, search: next })
  }
  return (
    <>
      <button
        type="button"
        className={css['face']}
        aria-haspopup="menu"
        onClick={event => setAt(event.currentTarget.getBoundingClientRect())}
      >
        {children}
      </button>
      {at !== undefined && (
        <ValueMenu
          title={title}
          value={value}
          only={conditionOf(column, value, false)}
          not={conditionOf(column, value, true)}
          at={at}
          onTerm={filterBy}
          onClose={() => setAt(undefined)}
        />
      )}
    </>
  )
}

// Shows a value outside the table, with the same menu as a value in the table.
import { useParams, useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type PageSearch, pageSearch } from '../search/search.ts'
import type { Choices } from './choices.ts'
import { columnIdsOf, withColumnToggled } from './column-ids.ts'
import { defaultFilter } from './default.ts'
import css from './value-menu.module.css'
import { ValueMenu } from './value-menu.tsx'

interface ValueProps {
  readonly choices: Choices
  readonly title: string
  /** Undefined if only the beginning of the value is loaded. */
  readonly value: string | undefined
  /**
   * True for a value of a trace, false for a value of an observation. A filter by an observation's value must also show non-root
   * observations.
   */
  readonly isOfTrace?: boolean
  readonly children?: ReactNode
}

/**
 * A choice in the menu changes the filter or the columns of the observations page. On the observations page itself, a chosen value
 * is added to the current filter, and a chosen column is shown or hidden. On other pages, the choice opens the observations page. There, a
 * chosen value of a trace is added to the default filter. A chosen value of an observation replaces the default filter. A chosen column is
 * added to the default columns. If the column was chosen on an observation, the page opens without the default filter.
 */
export function Value({ choices, title, value, isOfTrace = false, children = value }: ValueProps) {
  const { projectId } = useParams({ strict: false })
  const router = useRouter()
  const [at, setAt] = useState<DOMRect>()
  if (projectId === undefined) return children
  const current = (): PageSearch | undefined => {
    const { pathname, search } = router.latestLocation
    return pathname.endsWith('/observations') ? pageSearch(search) : undefined
  }
  const go = (search: PageSearch) => void router.navigate({ to: '/project/$projectId/observations', params: { projectId }, search })
  function filterBy(term: string): void {
    const now = current()
    const { q = now !== undefined || isOfTrace ? defaultFilter : '', ...rest } = now ?? {}
    go({ ...rest, q: `${q} ${term}`.trim(), peek: undefined })
  }
  const { column } = choices
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
          choices={choices}
          isShown={column !== undefined && columnIdsOf(current()?.cols).includes(column)}
          at={at}
          onTerm={filterBy}
          onColumn={id => {
            const now = current() ?? (isOfTrace ? {} : { q: '' })
            go({ ...now, cols: withColumnToggled(now.cols, id) })
          }}
          onClose={() => setAt(undefined)}
        />
      )}
    </>
  )
}

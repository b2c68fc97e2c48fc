// The bar above the table: number of rows, columns, row height.
import { lazy, type ReactNode, Suspense } from 'react'
import { Button } from '../design/button.tsx'
import { Popover } from '../design/popover.tsx'
import { defaultColumns } from '../filter/column-ids.ts'
import { observationsText as text } from '../text/observations.ts'
import { count } from '../text/units.ts'
import { columns as allColumns, type Column } from './columns.tsx'
import css from './table.module.css'

const AddColumn = lazy(() => import('./add-column.tsx').then(module => ({ default: module.AddColumn })))

interface TableToolsProps {
  readonly project: string
  readonly shown: number
  readonly isAll: boolean
  readonly isFetching: boolean
  readonly columns: readonly Column[]
  readonly rowHeight: number
  readonly onColumns: (ids: string | undefined) => void
  readonly onRowHeight: (height: number) => void
  readonly onRefresh: () => void
  readonly isLive: boolean
  readonly held: number
  /** True if rows arrive faster than a live list can show them. */
  readonly isTooFast: boolean
  readonly onLive: () => void
  readonly children: ReactNode
}

export function TableTools({
  project,
  shown,
  isAll,
  isFetching,
  columns,
  rowHeight,
  onColumns,
  onRowHeight,
  onRefresh,
  isLive,
  held,
  isTooFast,
  onLive,
  children,
}: TableToolsProps) {
  const chosen = columns.map(({ id }) => id)
  function toggle(id: string): void {
    const next = chosen.includes(id) ? chosen.filter(each => each !== id) : [...chosen, id]
    const joined = next.join(',')
    onColumns(joined === defaultColumns.join(',') || joined === '' ? undefined : joined)
  }
  return (
    <div className={css['tools']}>
      <span role="status">
        {text.rows(count(shown))}, {isAll ? text.end : text.more}
      </span>
      {isLive && isTooFast && <span>{text.liveTooFast}</span>}
      <span className={css['spring']} />
      <Button look="quiet" aria-pressed={isLive} onClick={onLive} title={text.liveOn}>
        {isLive && held > 0 ? text.livePaused(count(held)) : text.live}
      </Button>
      <Button look="quiet" onClick={onRefresh} disabled={isFetching}>
        {text.refresh}
      </Button>
      {children}
      <Popover label={text.rowHeight} look="quiet" face={text.rowHeight}>
        {Object.entries(text.heights).map(([height, says]) => (
          <label key={height} className={css['choice']}>
            <input type="radio" name="height" checked={rowHeight === Number(height)} onChange={() => onRowHeight(Number(height))} />
            {says}
          </label>
        ))}
      </Popover>
      <Popover label={text.columns} look="quiet" face={text.columns}>
        <div className={css['choices']}>
          {[...allColumns, ...columns.filter(({ leaf, score }) => leaf !== undefined || score !== undefined)].map(({ id, title }) => (
            <label key={id} className={css['choice']}>
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
              {title}
            </label>
          ))}
        </div>
        <Suspense>
          <AddColumn project={project} onAdd={id => !chosen.includes(id) && toggle(id)} />
        </Suspense>
      </Popover>
    </div>
  )
}

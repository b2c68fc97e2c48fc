// The grid of table rows.
import { type CSSProperties, type MouseEvent, memo, useEffect, useState } from 'react'
import { useCompleteUntil } from '../api/freshness.ts'
import { observationsText as text } from '../text/observations.ts'
import type { Column } from './columns.tsx'
import { rowKey } from './rows.ts'
import type { ShownRow as Row } from './shown-row.ts'
import { type Sort, type SortField, sortFieldOf } from './sort.ts'
import css from './table.module.css'
import { VirtualRows } from './virtual-rows.tsx'

export interface Active {
  readonly row: number
  readonly column: number
}

interface TableProps {
  readonly rows: readonly Row[]
  readonly columns: readonly Column[]
  readonly rowHeight: number
  readonly active: Active
  readonly isStale: boolean
  readonly sort: Sort | undefined
  readonly onSort: (by: SortField) => void
  /** Keys (`rowKey`) of the marked rows. */
  readonly marks: ReadonlySet<string>
  readonly onMark: (row: Row) => void
  readonly onActive: (active: Active) => void
  readonly onPeek: (row: Row) => void
  readonly onSession: (sessionId: string) => void
  readonly onOpen: (row: Row) => void
  readonly onMenu: (row: Row, column: Column, at: DOMRect) => void
  readonly onNearEnd: () => void
  /**
   * `isReading` is true while the pointer is over the table or the table is scrolled down. The table calls this function when `isReading`
   * changes, and with false when the table is unmounted.
   */
  readonly onReading: (isReading: boolean) => void
}

const headHeight = 28
const markWidth = 32

/** Maximum time between the clicks of a double click, as in operating systems. */
const doubleClickMs = 500

export function Table(props: TableProps) {
  const { rows, columns, rowHeight, active, isStale, sort, onSort, marks, onMark, onActive, onPeek, onSession, onOpen, onMenu, onNearEnd } =
    props
  const { onReading } = props
  // The effects of the rows need this element, but the effects run before React sets a ref to the element. The table therefore keeps the
  // element in React state instead of a ref: a change of the state renders the rows again.
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const [isHovered, setHovered] = useState(false)
  const [isScrolled, setScrolled] = useState(false)
  useEffect(() => {
    onReading(isHovered || isScrolled)
    return () => onReading(false)
  }, [onReading, isHovered, isScrolled])
  const completeUntil = useCompleteUntil()
  // Data is complete up to the time `completeUntil`. `edge` is the index of the first row that is not newer than this time. A line is drawn
  // above this row, unless this row is the newest row.
  const edge =
    completeUntil === undefined || sort !== undefined ? 0 : rows.findIndex(({ startTime }) => Date.parse(startTime) <= completeUntil)
  const leastWidth = columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), 0)
  const style = {
    '--columns': columns.map(({ width }) => width).join(' '),
    '--row-height': `${rowHeight}px`,
    minWidth: leastWidth + markWidth,
  } as CSSProperties

  function cellAt(event: MouseEvent): { readonly row: Row; readonly at: Active; readonly element: HTMLElement } | undefined {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-at]') : null
    const [row, column] = (element?.dataset['at'] ?? '').split(',').map(Number)
    if (element === null || row === undefined || column === undefined || rows[row] === undefined) return undefined
    return { row: rows[row], at: { row, column }, element }
  }

  return (
    <div
      ref={setScroller}
      className={css['scroller']}
      onScroll={event => setScrolled(event.currentTarget.scrollTop > 0)}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      <div
        role="grid"
        aria-label={text.title}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={active.row < 0 ? undefined : `cell-${active.row}-${active.column}`}
        tabIndex={0}
        className={`${css['grid']} ${isStale ? css['stale'] : ''}`}
        data-height={rowHeight}
        style={style}
        onClick={event => {
          const mark = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-mark]') : null
          const marked = mark && rows[Number(mark.dataset['mark'])]
          if (marked) return onMark(marked)
          const session =
            event.target instanceof Element ? event.target.closest<HTMLElement>('[data-session]')?.dataset['session'] : undefined
          if (session !== undefined) return onSession(session)
          const cell = cellAt(event)
          if (cell === undefined || event.detail > 1) return
          onActive(cell.at)
          onPeek(cell.row)
          // Opening the peek panel shifts the table. The second click of a double click can therefore hit another element.
          addEventListener('dblclick', () => onOpen(cell.row), { once: true, signal: AbortSignal.timeout(doubleClickMs) })
        }}
        onContextMenu={event => {
          const cell = cellAt(event)
          if (cell === undefined) return
          event.preventDefault()
          onActive(cell.at)
          onMenu(cell.row, columns[cell.at.column]!, cell.element.getBoundingClientRect())
        }}
      >
        <div role="row" className={css['head']} aria-rowindex={1}>
          <div role="columnheader">
            <span className="unseen">{text.mark}</span>
          </div>
          {columns.map(({ id, title, isNumeric = false }) => (
            <HeadCell key={id} id={id} title={title} isNumeric={isNumeric} sort={sort} onSort={onSort} />
          ))}
        </div>
        <VirtualRows
          count={rows.length}
          rowHeight={rowHeight}
          scroller={scroller}
          headHeight={headHeight}
          active={active.row}
          onNearEnd={onNearEnd}
        >
          {at => (
            <TableRow
              key={rowKey(rows[at]!)}
              row={rows[at]!}
              at={at}
              columns={columns}
              activeColumn={at === active.row ? active.column : -1}
              isMarked={marks.has(rowKey(rows[at]!))}
              isEdge={at === edge && edge > 0}
            />
          )}
        </VirtualRows>
      </div>
    </div>
  )
}

interface HeadCellProps extends Pick<TableProps, 'sort' | 'onSort'> {
  readonly id: string
  readonly title: string
  readonly isNumeric: boolean
}

function HeadCell({ id, title, isNumeric, sort, onSort }: HeadCellProps) {
  const by = sortFieldOf(id)
  const order = sort === undefined || sort.by !== by ? 'none' : sort.isAscending ? 'ascending' : 'descending'
  return (
    <div role="columnheader" data-numeric={isNumeric} aria-sort={by && order}>
      {by === undefined ? (
        title
      ) : (
        <button type="button" className={css['sorter']} title={text.sortBy(title)} onClick={() => onSort(by)}>
          {title}
          {order !== 'none' && (order === 'ascending' ? ' ▴' : ' ▾')}
        </button>
      )}
    </div>
  )
}

interface TableRowProps {
  readonly row: Row
  readonly at: number
  readonly columns: readonly Column[]
  /** Index of the active column, or -1 in rows without the active cell. */
  readonly activeColumn: number
  readonly isMarked: boolean
  readonly isEdge: boolean
}

const TableRow = memo(function TableRow({ row, at, columns, activeColumn, isMarked, isEdge }: TableRowProps) {
  return (
    <div
      role="row"
      className={css['row']}
      aria-rowindex={at + 2}
      aria-selected={activeColumn >= 0}
      data-level={row.level}
      data-edge={isEdge}
      title={isEdge ? text.more_may_come : undefined}
    >
      <div role="gridcell" className={css['mark']} data-mark={at}>
        <input type="checkbox" tabIndex={-1} checked={isMarked} readOnly aria-label={text.mark} />
      </div>
      {columns.map(({ id, isNumeric = false, render, textOf }, column) => (
        <div
          key={id}
          role="gridcell"
          id={`cell-${at}-${column}`}
          className={css['cell']}
          data-at={`${at},${column}`}
          data-column={id}
          data-numeric={isNumeric}
          data-active={column === activeColumn}
        >
          {render === undefined ? textOf(row) : render(row)}
        </div>
      ))}
    </div>
  )
})

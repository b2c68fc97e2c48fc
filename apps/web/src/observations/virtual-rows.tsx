// Rows that all have the same fixed height. Only the visible rows are in the document. No height is ever measured, so rows do not jump.
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import css from './table.module.css'

interface VirtualRowsProps {
  readonly count: number
  readonly rowHeight: number
  /** What scrolls. */
  readonly scroller: RefObject<HTMLElement | null>
  /** Height of the sticky part above the rows. */
  readonly headHeight: number
  /** Index of the active row. When the index changes, the row is scrolled into view. */
  readonly active: number
  readonly onNearEnd: () => void
  readonly children: (at: number) => ReactNode
}

const overscan = 8
const nearEndRows = 30

export function VirtualRows({ count, rowHeight, scroller, headHeight, active, onNearEnd, children }: VirtualRowsProps) {
  const [view, setView] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight })
    measure()
    element.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [scroller])

  useEffect(() => {
    const element = scroller.current
    if (element === null || active < 0) return
    const [top, bottom] = [active * rowHeight, (active + 1) * rowHeight]
    const seen = element.clientHeight - headHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + seen) element.scrollTop = bottom - seen
  }, [active, rowHeight, headHeight, scroller])

  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan)
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + overscan)
  const isNearEnd = last >= count - nearEndRows
  useEffect(() => {
    if (isNearEnd && count > 0) onNearEnd()
  }, [isNearEnd, count, onNearEnd])

  const rows: ReactNode[] = []
  for (let at = first; at < last; at++) rows.push(children(at))
  return (
    <div className={css['rows']} role="presentation" style={{ height: count * rowHeight }}>
      <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
        {rows}
      </div>
    </div>
  )
}

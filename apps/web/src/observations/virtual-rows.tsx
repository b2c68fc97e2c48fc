// Renders only the visible rows. Heights are fixed, so rows do not jump.
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import css from './table.module.css'

interface VirtualRowsProps {
  readonly count: number
  readonly rowHeight: number
  /** The scrolling element. Null until the element is in the document. */
  readonly scroller: HTMLElement | null
  readonly headHeight: number
  /** When this index changes, the row is scrolled into view. */
  readonly active: number
  readonly onNearEnd: () => void
  readonly children: (at: number) => ReactNode
}

const overscan = 8
const nearEndRows = 30

export function VirtualRows({ count, rowHeight, scroller, headHeight, active, onNearEnd, children }: VirtualRowsProps) {
  const [view, setView] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    if (scroller === null) return
    const measure = () => setView({ top: scroller.scrollTop, height: scroller.clientHeight })
    measure()
    scroller.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(scroller)
    return () => {
      scroller.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [scroller])

  useEffect(() => {
    if (scroller === null || active < 0) return
    const [top, bottom] = [active * rowHeight, (active + 1) * rowHeight]
    const seen = scroller.clientHeight - headHeight
    if (top < scroller.scrollTop) scroller.scrollTop = top
    else if (bottom > scroller.scrollTop + seen) scroller.scrollTop = bottom - seen
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

// The bar with actions on the marked rows.
import type { ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { observationsText as text } from '../text/observations.ts'
import { count } from '../text/units.ts'
import { canCompare, type Marked } from './marks.ts'
import css from './table.module.css'

interface MarkedBarProps {
  readonly marked: readonly Marked[]
  readonly onCompare: () => void
  readonly onClear: () => void
  readonly children: ReactNode
}

export function MarkedBar({ marked, onCompare, onClear, children }: MarkedBarProps) {
  const copy = (rows: readonly Marked[]) =>
    void navigator.clipboard.writeText(rows.map(({ traceId, id }) => `${traceId}\t${id}`).join('\n'))
  return (
    <section className={css['marked']} aria-label={text.marked(count(marked.length))}>
      <span>{text.marked(count(marked.length))}</span>
      <Button onClick={onCompare} disabled={!canCompare(marked)} title={text.compareHelp}>
        {text.compare}
      </Button>
      <Button onClick={() => copy(marked)}>{text.copyIds}</Button>
      {children}
      <Button look="quiet" onClick={onClear}>
        {text.unmark}
      </Button>
    </section>
  )
}

// Lets the user pick the page's time range: a preset that ends at the present, or a start and an end.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Popover } from '../design/popover.tsx'
import { Loading } from '../design/states.tsx'
import { defaultRange, presetRanges, rangeOrDefault } from '../search/range.ts'
import { text } from '../text/strings.ts'
import { dayAndMinute } from '../text/units.ts'
import { useZone } from '../text/zone.ts'
import css from './top-bar.module.css'

function useRangeText(): { readonly t: string; readonly setRange: (t: string) => void } {
  const { t = defaultRange } = useSearch({ strict: false })
  const navigate = useNavigate()
  const setRange = (next: string) =>
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, t: next === defaultRange ? undefined : next }) })
  return { t, setRange }
}

const RangeCustom = lazy(() => import('./range-custom.tsx').then(module => ({ default: module.RangeCustom })))

export function RangePicker() {
  const { t, setRange } = useRangeText()
  useZone()
  const { fromMs, toMs, isRelative } = rangeOrDefault(t, Date.now())
  const says = isRelative ? (text.shell.ranges[t] ?? t) : `${dayAndMinute(fromMs)} – ${dayAndMinute(toMs)}`
  return (
    <Popover
      label={`${text.shell.range}: ${says}`}
      look="quiet"
      face={
        <>
          {says} <span aria-hidden="true">▾</span>
        </>
      }
    >
      {close => (
        <div className={css['list']}>
          {presetRanges.map(each => (
            <button
              key={each}
              type="button"
              className={css['item']}
              aria-current={each === t}
              onClick={() => {
                setRange(each)
                close()
              }}
            >
              {text.shell.ranges[each]}
            </button>
          ))}
          <Suspense fallback={<Loading rows={3} />}>
            <RangeCustom
              fromMs={fromMs}
              toMs={toMs}
              onRange={next => {
                setRange(next)
                close()
              }}
            />
          </Suspense>
        </div>
      )}
    </Popover>
  )
}

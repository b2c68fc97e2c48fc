// A control that picks the page's time range: a preset that ends at the present, or two times. The URL contains this range (`t`).
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button, Field } from '../design/button.tsx'
import { Popover } from '../design/popover.tsx'
import { defaultRange, presetRanges, rangeOrDefault, writeRange } from '../search/range.ts'
import { text } from '../text/strings.ts'
import { dayAndMinute, zoneName } from '../text/units.ts'
import css from './top-bar.module.css'

function useRangeText(): { readonly t: string; readonly setRange: (t: string) => void } {
  const { t = defaultRange } = useSearch({ strict: false })
  const navigate = useNavigate()
  const setRange = (next: string) =>
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, t: next === defaultRange ? undefined : next }) })
  return { t, setRange }
}

/** The time in the format of a `datetime-local` field. */
const localTime = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

export function RangePicker() {
  const { t, setRange } = useRangeText()
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
          <Custom
            fromMs={fromMs}
            toMs={toMs}
            onRange={next => {
              setRange(next)
              close()
            }}
          />
        </div>
      )}
    </Popover>
  )
}

interface CustomProps {
  readonly fromMs: number
  readonly toMs: number
  readonly onRange: (t: string) => void
}

function Custom({ fromMs, toMs, onRange }: CustomProps) {
  const [from, setFrom] = useState(localTime(fromMs))
  const [to, setTo] = useState(localTime(toMs))
  const isRange = Date.parse(from) < Date.parse(to)
  function apply(event: FormEvent): void {
    event.preventDefault()
    if (isRange) onRange(writeRange(Date.parse(from), Date.parse(to)))
  }
  return (
    <form className={css['custom']} onSubmit={apply}>
      <Field label={text.shell.from} type="datetime-local" value={from} onChange={event => setFrom(event.target.value)} />
      <Field label={text.shell.to} type="datetime-local" value={to} onChange={event => setTo(event.target.value)} />
      <Button type="submit" disabled={!isRange}>
        {text.shell.apply}
      </Button>
      <p className={css['zone']}>
        {text.shell.zone} {zoneName()}
      </p>
    </form>
  )
}

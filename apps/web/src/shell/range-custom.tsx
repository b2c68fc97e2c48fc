// Shows two fields in which the user enters a time range, in the chosen time zone.
import { type FormEvent, useState } from 'react'
import { Button, Field } from '../design/button.tsx'
import { writeRange } from '../search/range.ts'
import { text } from '../text/strings.ts'
import { fieldOf, readField } from '../text/wall.ts'
import { useZone } from '../text/zone.ts'
import css from './top-bar.module.css'
import { ZoneChoice } from './zone-choice.tsx'

interface CustomProps {
  readonly fromMs: number
  readonly toMs: number
  readonly onRange: (t: string) => void
}

export function RangeCustom(props: CustomProps) {
  return (
    <>
      {/* In another zone, the fields start again with its times. */}
      <Custom key={useZone() ?? ''} {...props} />
      <ZoneChoice />
    </>
  )
}

function Custom({ fromMs, toMs, onRange }: CustomProps) {
  const [from, setFrom] = useState(fieldOf(fromMs))
  const [to, setTo] = useState(fieldOf(toMs))
  const isRange = readField(from) < readField(to)
  function apply(event: FormEvent): void {
    event.preventDefault()
    if (isRange) onRange(writeRange(readField(from), readField(to)))
  }
  return (
    <form className={css['custom']} onSubmit={apply}>
      <Field label={text.shell.from} type="datetime-local" value={from} onChange={event => setFrom(event.target.value)} />
      <Field label={text.shell.to} type="datetime-local" value={to} onChange={event => setTo(event.target.value)} />
      <Button type="submit" disabled={!isRange}>
        {text.shell.apply}
      </Button>
    </form>
  )
}

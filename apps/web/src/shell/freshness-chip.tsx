// Shows the time up to which data is complete, according to the last response.
import { useEffect, useState } from 'react'
import { freshnessNotedAt, useCompleteUntil } from '../api/freshness.ts'
import { text } from '../text/strings.ts'
import { duration, everyForm, timeOfDay } from '../text/units.ts'
import { useZone } from '../text/zone.ts'
import css from './top-bar.module.css'

/** Delays that the contract allows. The delay of a staged span includes the wait for the end of the span's window. */
const promiseMs = { direct: 5_000, staged: 4 * 60_000 }
const unknownAfterMs = 60_000

function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

export function FreshnessChip() {
  useZone()
  const until = useCompleteUntil()
  const now = useNow(5_000)
  const notedAt = freshnessNotedAt()
  if (until === undefined || notedAt === undefined) {
    // If there is no response yet, the chip is hidden for the first minute. After this minute, the chip shows that the freshness is
    // unknown.
    return performance.now() < unknownAfterMs ? null : (
      <Chip state="unknown" title={text.shell.freshnessHelp} says={text.shell.freshnessUnknown} />
    )
  }
  // The lag is measured at the time of the last response. If it were measured now, it would grow on an idle page even if the server is not
  // late.
  const lagMs = Math.max(0, Math.min(notedAt, now) - until)
  const isLate = lagMs > promiseMs.direct + promiseMs.staged
  const says = isLate
    ? `${text.shell.completeUntil(timeOfDay(until))}, ${text.shell.behind(duration(lagMs))}`
    : text.shell.completeUntil(timeOfDay(until))
  return <Chip state={isLate ? 'late' : 'good'} title={`${text.shell.freshnessHelp}\n${everyForm(until)}`} says={says} />
}

function Chip({ state, title, says }: { readonly state: string; readonly title: string; readonly says: string }) {
  return (
    <span className={css['chip']} data-state={state} title={title} role="status">
      {says}
      <span className={css['dot']} />
    </span>
  )
}

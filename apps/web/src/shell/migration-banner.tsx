// A banner above every page while the backfill copies older data.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type MigrationStatus, migrationQuery } from '../api/migration.ts'
import { text } from '../text/strings.ts'
import { duration, percent } from '../text/units.ts'
import css from './shell.module.css'

/** Null if nothing is missing. */
function sentenceOf({ state, isPaused, ratio, steps }: MigrationStatus): string | null {
  if (state === 'none' || state === 'waiting' || state === 'finished') return null
  if (state === 'failed') return text.shell.migrationFailed
  const share = percent(Math.min(ratio, 0.99))
  if (isPaused) return text.shell.migrationPaused(share)
  const at = steps.findIndex(({ status }) => status !== 'finished')
  const secondsLeft = steps[at]?.secondsLeft ?? null
  return text.shell.migration(share, at + 1, steps.length, secondsLeft === null ? undefined : duration(secondsLeft * 1_000))
}

export function MigrationBanner() {
  const { data } = useQuery(migrationQuery)
  const sentence = data === undefined ? null : sentenceOf(data)
  if (sentence === null) return null
  return (
    <p className={css['banner']} role="status" data-failed={data?.state === 'failed'}>
      {sentence} <Link to="/system">{text.shell.migrationMore}</Link>
    </p>
  )
}

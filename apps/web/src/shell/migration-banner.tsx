// A banner above every page while the backfill copies older data.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isGoingOn, type MigrationStatus, migrationQuery } from '../api/migration.ts'
import { text } from '../text/strings.ts'
import { duration, percent } from '../text/units.ts'
import css from './shell.module.css'

/** Progress over all steps, from 0 to 1. */
const ratioOf = (steps: MigrationStatus['steps']): number =>
  steps.reduce((sum, { status, ratio }) => sum + (status === 'finished' ? 1 : ratio), 0) / steps.length

export function MigrationBanner() {
  const { data } = useQuery(migrationQuery)
  if (data === undefined || !isGoingOn(data)) return null
  const at = data.steps.findIndex(({ status }) => status !== 'finished')
  const { status, secondsLeft } = data.steps[at]!
  const says = text.shell.migration(
    percent(Math.min(ratioOf(data.steps), 0.99)),
    at + 1,
    data.steps.length,
    secondsLeft === null ? undefined : duration(secondsLeft * 1_000),
  )
  return (
    <p className={css['banner']} role="status" data-failed={status === 'failed'}>
      {status === 'failed' ? text.shell.migrationFailed : says} <Link to="/system">{text.shell.migrationMore}</Link>
    </p>
  )
}

// Progress of copying v3's data to the events tables, step by step.
import { useQuery } from '@tanstack/react-query'
import { type MigrationStatus, migrationQuery } from '../api/migration.ts'
import { Section } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { placesText } from '../text/places.ts'
import { count, duration, percent } from '../text/units.ts'
import css from './system.module.css'

type Step = MigrationStatus['steps'][number]

const text = placesText.system

const left = (seconds: number | null): string => (seconds === null ? '' : duration(seconds * 1_000))

const columns: readonly PlainColumn<Step>[] = [
  { title: text.step, show: ({ name }) => name },
  { title: text.state, show: ({ status }) => text.states[status] },
  { title: text.rows, isNumeric: true, show: ({ rows, totalRows }) => `${count(rows)} / ${count(totalRows)}` },
  { title: text.done, isNumeric: true, show: ({ status, ratio }) => percent(status === 'finished' ? 1 : Math.min(ratio, 0.99)) },
  { title: text.month, show: ({ month }) => month },
  { title: text.rate, isNumeric: true, show: ({ rowsPerSecond }) => rowsPerSecond !== null && count(rowsPerSecond) },
  { title: text.left, isNumeric: true, show: ({ secondsLeft }) => left(secondsLeft) },
]

export function Migration() {
  const { data, error, refetch } = useQuery(migrationQuery)
  return (
    <Section title={text.migration} help={text.migrationHelp}>
      {data?.isPaused === true && <p>{text.paused}</p>}
      {data?.steps.map(
        ({ name, failedReason }) =>
          failedReason !== null && (
            <p key={name} role="alert" className={css['failure']}>
              {text.failed(name, failedReason)} {text.failedHelp}
            </p>
          ),
      )}
      {data && data.missed !== null && <p role="alert">{data.missed}</p>}
      <PlainTable
        label={text.migration}
        columns={columns}
        lines={data && (data.state === 'none' ? [] : data.steps)}
        keyOf={({ name }) => name}
        empty={text.migrationNone}
        isPart={true}
        error={error}
        onRetry={() => void refetch()}
      />
    </Section>
  )
}

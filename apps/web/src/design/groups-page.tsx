// A table of sessions or users in a time range, with counts, costs and errors.
import type { ReactNode } from 'react'
import type { Group } from '../api/groups.ts'
import { placesText } from '../text/places.ts'
import { cost, count, duration } from '../text/units.ts'
import { Page } from './page.tsx'
import { type PlainColumn, PlainTable } from './plain-table.tsx'

const { columns: titles } = placesText

interface GroupsPageProps {
  readonly text: { readonly title: string; readonly help: string; readonly empty: string }
  readonly groups: { readonly data: readonly Group[] | undefined; readonly error: Error | null; refetch(): unknown }
  readonly title: string
  readonly show: (id: string) => ReactNode
  /** Columns that only this kind of group has. */
  readonly more?: readonly PlainColumn<Group>[]
}

export function GroupsPage({ text, groups: { data, error, refetch }, title, show, more = [] }: GroupsPageProps) {
  const columns: readonly PlainColumn<Group>[] = [
    { title, show: ({ id }) => show(id) },
    { title: titles.traces, isNumeric: true, show: ({ traces }) => count(traces) },
    ...more,
    { title: titles.observations, isNumeric: true, show: ({ observations }) => count(observations) },
    { title: titles.errors, isNumeric: true, show: ({ errors }) => count(errors) },
    { title: titles.cost, isNumeric: true, show: group => cost(group.cost) },
    { title: titles.latency, isNumeric: true, show: ({ p95Ms }) => p95Ms !== null && duration(p95Ms) },
  ]
  return (
    <Page title={text.title} help={text.help}>
      <PlainTable
        label={text.title}
        columns={columns}
        lines={data}
        keyOf={({ id }) => id}
        empty={text.empty}
        error={error}
        onRetry={() => void refetch()}
      />
    </Page>
  )
}

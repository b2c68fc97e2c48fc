// Users of the range, the busiest first; one leads to its rows.
import { Link, useParams } from '@tanstack/react-router'
import { type Group, useGroups } from '../api/groups.ts'
import { Page } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { termOf } from '../filter/write.ts'
import { useRange } from '../search/use-range.ts'
import { placesText } from '../text/places.ts'
import { cost, count, duration } from '../text/units.ts'

const { users: text, columns: titles } = placesText

export function UsersPage() {
  const { projectId } = useParams({ from: '/signed-in/project/$projectId' })
  const { data, error, refetch } = useGroups(projectId, 'userId', useRange())
  const columns: readonly PlainColumn<Group>[] = [
    {
      title: titles.user,
      show: ({ id }) => (
        <Link
          to="/project/$projectId/observations"
          params={{ projectId }}
          search={({ t }) => ({ t, q: `root:true ${termOf({ type: 'string', column: 'userId', operator: '=', value: id })}` })}
        >
          {id}
        </Link>
      ),
    },
    { title: titles.traces, isNumeric: true, show: ({ traces }) => count(traces) },
    { title: titles.sessions, isNumeric: true, show: ({ sessions }) => count(sessions) },
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

// Sessions of the range, the busiest first.
import { Link, useParams } from '@tanstack/react-router'
import { type Group, useGroups } from '../api/groups.ts'
import { Page } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { useRange } from '../search/use-range.ts'
import { placesText } from '../text/places.ts'
import { cost, count, duration } from '../text/units.ts'

const { sessions: text, columns: titles } = placesText

export function SessionsPage() {
  const { projectId } = useParams({ from: '/signed-in/project/$projectId' })
  const { data, error, refetch } = useGroups(projectId, 'sessionId', useRange())
  const columns: readonly PlainColumn<Group>[] = [
    {
      title: titles.session,
      show: ({ id }) => (
        <Link to="/project/$projectId/sessions/$sessionId" params={{ projectId, sessionId: id }} search={{}}>
          {id}
        </Link>
      ),
    },
    { title: titles.traces, isNumeric: true, show: ({ traces }) => count(traces) },
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

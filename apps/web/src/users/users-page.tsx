// Shows the users in the page's time range. The users with the most observations come first.
import { Link, useParams } from '@tanstack/react-router'
import { useGroups } from '../api/groups.ts'
import { GroupsPage } from '../design/groups-page.tsx'
import { termOf } from '../filter/write.ts'
import { useRange } from '../search/use-range.ts'
import { placesText } from '../text/places.ts'
import { count } from '../text/units.ts'

const { users: text, columns: titles } = placesText

export function UsersPage() {
  const { projectId } = useParams({ from: '/signed-in/project/$projectId' })
  return (
    <GroupsPage
      text={text}
      groups={useGroups(projectId, 'userId', useRange())}
      title={titles.user}
      show={id => (
        <Link
          to="/project/$projectId/observations"
          params={{ projectId }}
          search={({ t }) => ({ t, q: `root:true ${termOf({ type: 'string', column: 'userId', operator: '=', value: id })}` })}
        >
          {id}
        </Link>
      )}
      more={[{ title: titles.sessions, isNumeric: true, show: ({ sessions }) => count(sessions) }]}
    />
  )
}

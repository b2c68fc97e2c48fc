// Shows the sessions in the page's time range. The sessions with the most observations come first.
import { Link, useParams } from '@tanstack/react-router'
import { useGroups } from '../api/groups.ts'
import { GroupsPage } from '../design/groups-page.tsx'
import { useRange } from '../search/use-range.ts'
import { placesText } from '../text/places.ts'

const { sessions: text, columns: titles } = placesText

export function SessionsPage() {
  const { projectId } = useParams({ from: '/signed-in/project/$projectId' })
  return (
    <GroupsPage
      text={text}
      groups={useGroups(projectId, 'sessionId', useRange())}
      title={titles.session}
      show={id => (
        <Link to="/project/$projectId/sessions/$sessionId" params={{ projectId, sessionId: id }} search={{}}>
          {id}
        </Link>
      )}
    />
  )
}

// Settings of a project: API keys and members.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { meQuery } from '../api/me.ts'
import { Page } from '../design/page.tsx'
import { Loading } from '../design/states.tsx'
import { placesText } from '../text/places.ts'
import { Examples } from './examples.tsx'
import { Keys } from './keys.tsx'
import { Members } from './members.tsx'

export function SettingsPage() {
  const { projectId } = useParams({ from: '/signed-in/project/$projectId' })
  const { data: me } = useQuery(meQuery)
  const organization = me?.organizations.find(({ projects }) => projects.some(({ id }) => id === projectId))
  if (organization === undefined) return <Loading />
  return (
    <Page title={placesText.settings.title}>
      <Keys organization={organization.id} project={projectId} />
      <Members organization={organization.id} />
      <Examples project={projectId} />
    </Page>
  )
}

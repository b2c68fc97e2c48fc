// Observations of a project, newest first: the start page.
import { Loading } from '../design/states.tsx'

export function ObservationsPage() {
  return <Loading />
}

// The signed-in user, and the projects that this user may open.
import { queryOptions } from '@tanstack/react-query'
import { ApiError, call, type ResultOf } from './client.ts'

export type Me = ResultOf<'ui.me'>

/** Null when no user is signed in. */
async function readMe(signal: AbortSignal): Promise<Me | null> {
  try {
    return await call('ui.me', { signal })
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: ({ signal }) => readMe(signal), staleTime: 60_000 })

export const projectsOf = (me: Me) =>
  me.organizations.flatMap(({ name, projects }) => projects.map(project => ({ ...project, organization: name })))

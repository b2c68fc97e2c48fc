// Who is signed in, and what they may open.
import { queryOptions } from '@tanstack/react-query'
import { ApiError, request } from './client.ts'

export interface OwnProject {
  readonly id: string
  readonly name: string
  readonly role: string
}

export interface OwnOrganization {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly projects: readonly OwnProject[]
}

export interface Me {
  readonly user: { readonly id: string; readonly name: string | null; readonly email: string }
  readonly organizations: readonly OwnOrganization[]
}

/** Null: nobody is signed in. */
async function readMe(signal: AbortSignal): Promise<Me | null> {
  try {
    return (await request('GET', 'me', { signal })) as Me
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: ({ signal }) => readMe(signal), staleTime: 60_000 })

export const projectsOf = (me: Me): readonly (OwnProject & { readonly organization: string })[] =>
  me.organizations.flatMap(({ name, projects }) => projects.map(project => ({ ...project, organization: name })))

// Finds the project that the navigation rail shows: the project in the address. If the address has no project, the rail shows the project
// that was opened last in this browser. If no project was opened, or the user does not have this project, the rail shows the
// user's first project.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { meQuery, projectsOf } from '../api/me.ts'

const storageKey = 'svc.project'

function stored(): string | undefined {
  try {
    return localStorage.getItem(storageKey) ?? undefined
  } catch {
    // If the page cannot use the browser's storage, the navigation rail shows the user's first project after a reload.
    return undefined
  }
}

let last = stored()

function remember(projectId: string): void {
  last = projectId
  try {
    localStorage.setItem(storageKey, projectId)
  } catch {
    // If the page cannot use the browser's storage, the project is remembered until the page is closed.
  }
}

export function useRailProject(): string | undefined {
  const { projectId } = useParams({ strict: false })
  const { data: me } = useQuery(meQuery)
  useEffect(() => {
    if (projectId !== undefined) remember(projectId)
  }, [projectId])
  const projects = me ? projectsOf(me) : []
  return projectId ?? projects.find(({ id }) => id === last)?.id ?? projects[0]?.id
}

// Finds the project that the navigation rail shows. It is the project in the address, the project opened last in this browser, or the
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
    // Without storage in the browser, the navigation rail shows the user's first project after a reload.
    return undefined
  }
}

let last = stored()

function remember(projectId: string): void {
  last = projectId
  try {
    localStorage.setItem(storageKey, projectId)
  } catch {
    // Without storage in the browser, the project is remembered until the page is closed.
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

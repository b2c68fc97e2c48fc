// The project whose places the rail shows: the one in the address, else the one that was opened last, else the user's first project.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { meQuery, projectsOf } from '../api/me.ts'

let last: string | undefined

export function useRailProject(): string | undefined {
  const { projectId } = useParams({ strict: false })
  const { data: me } = useQuery(meQuery)
  useEffect(() => {
    last = projectId ?? last
  }, [projectId])
  const projects = me ? projectsOf(me) : []
  return projectId ?? projects.find(({ id }) => id === last)?.id ?? projects[0]?.id
}

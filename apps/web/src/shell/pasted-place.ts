// Opens the target of a pasted id, traceparent, address or filter.
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isField } from '../keys/keys.ts'
import { findId, type Pasted, readPasted } from '../observations/pasted.ts'

/** Returns a function that opens the target of a pasted text. Returns undefined if no project is open. */
export function useFollowPasted(): ((pasted: Pasted) => Promise<void>) | undefined {
  const { projectId } = useParams({ strict: false })
  const navigate = useNavigate()
  if (projectId === undefined) return undefined
  const params = { projectId }
  const go = (to: Pasted): Promise<void> => {
    if (to.kind === 'filter') return navigate({ to: '/project/$projectId/observations', params, search: { q: to.text } })
    if (to.kind === 'session')
      return navigate({ to: '/project/$projectId/sessions/$sessionId', params: { ...params, sessionId: to.id }, search: {} })
    const [traceId, o] = to.kind === 'trace' ? [to.traceId, to.observationId] : [to.id, undefined]
    return navigate({ to: '/project/$projectId/traces/$traceId', params: { ...params, traceId }, search: { o } })
  }
  // If `findId` finds nothing, the trace page opens with the id as trace id, and shows where this trace's spans can be, such as on the log.
  return async pasted => go(pasted.kind === 'id' ? ((await findId(projectId, pasted.id).catch(() => undefined)) ?? pasted) : pasted)
}

/** Does nothing while a field or dialog has the focus. */
export function usePasteAnywhere(): void {
  const follow = useFollowPasted()
  useEffect(() => {
    document.onpaste = ({ target, clipboardData }) => {
      if (isField(target) || document.querySelector('dialog[open]')) return
      const pasted = readPasted(clipboardData!.getData('text'))
      if (pasted) void follow?.(pasted)
    }
    return () => {
      document.onpaste = null
    }
  })
}

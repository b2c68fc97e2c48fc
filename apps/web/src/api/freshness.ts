// The time up to which the server's data is complete, from the header `x-svc-complete-until` of the last response that had it.
import { useSyncExternalStore } from 'react'

let completeUntil: number | undefined
let notedAt: number | undefined
const listeners = new Set<() => void>()

export function noteFreshness(header: string | null): void {
  if (header === null) return
  const until = Date.parse(header)
  if (Number.isNaN(until)) return
  notedAt = Date.now()
  // Responses can arrive in a different order than the server has sent them, and an older response must not set the time back.
  if (completeUntil !== undefined && until <= completeUntil) return
  completeUntil = until
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Milliseconds since 1970; undefined until a response had the header. */
export const useCompleteUntil = (): number | undefined => useSyncExternalStore(subscribe, () => completeUntil)

/** Time of the last response that had the header. */
export const freshnessNotedAt = (): number | undefined => notedAt

// The time up to which the server's data is complete, from the last `x-svc-complete-until` response header.
import { useSyncExternalStore } from 'react'

let completeUntil: number | undefined
let notedAt: number | undefined
const listeners = new Set<() => void>()

export function noteFreshness(header: string | null): void {
  if (header === null) return
  const until = Date.parse(header)
  if (Number.isNaN(until)) return
  notedAt = Date.now()
  // Responses can arrive out of order.
  if (completeUntil !== undefined && until <= completeUntil) return
  completeUntil = until
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns a time in milliseconds since 1970. Undefined before the first response with the header. */
export const useCompleteUntil = (): number | undefined => useSyncExternalStore(subscribe, () => completeUntil)

export const freshnessNotedAt = (): number | undefined => notedAt

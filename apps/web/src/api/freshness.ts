// Until when what the server reads is complete, as its last response said (`x-svc-complete-until`).
import { useSyncExternalStore } from 'react'

let completeUntil: number | undefined
let notedAt: number | undefined
const listeners = new Set<() => void>()

export function noteFreshness(header: string | null): void {
  if (header === null) return
  const until = Date.parse(header)
  if (Number.isNaN(until)) return
  notedAt = Date.now()
  // Responses may overtake each other: an older one does not take the time back.
  if (completeUntil !== undefined && until <= completeUntil) return
  completeUntil = until
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Milliseconds since 1970; undefined while no response has said it. */
export const useCompleteUntil = (): number | undefined => useSyncExternalStore(subscribe, () => completeUntil)

/** When a response last said it. */
export const freshnessNotedAt = (): number | undefined => notedAt

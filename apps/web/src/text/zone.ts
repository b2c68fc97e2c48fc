// The time zone of all shown and typed times: the browser's, UTC, or a named zone.
import { useSyncExternalStore } from 'react'

const storageKey = 'svc.zone'
const listeners = new Set<() => void>()
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Undefined for the browser's zone. */
let chosen = stored()

function stored(): string | undefined {
  try {
    const found = localStorage.getItem(storageKey)
    return found !== null && isZone(found) ? found : undefined
  } catch {
    // If the page cannot use the browser's storage, times are in the browser's zone.
    return undefined
  }
}

export const zoneName = (): string => chosen ?? browserZone()

export function setZone(zone: string | undefined): void {
  chosen = zone
  try {
    if (zone === undefined) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, zone)
  } catch {
    // If the page cannot use the browser's storage, the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useZone = (): string | undefined => useSyncExternalStore(subscribe, () => chosen)

// Remembers, for each observation name and field, how its content is displayed.
import { useSyncExternalStore } from 'react'

export type Look = 'shown' | 'markdown' | 'raw'

const storageKey = 'svc.looks'
const most = 200
const listeners = new Set<() => void>()

function stored(): Map<string, Look> {
  try {
    return new Map(JSON.parse(localStorage.getItem(storageKey) ?? '[]') as [string, Look][])
  } catch {
    return new Map()
  }
}

let looks: Map<string, Look> | undefined
const all = () => (looks ??= stored())
const keyOf = (name: string, field: string) => `${field} ${name}`

export function setLook(name: string, field: string, look: Look): void {
  all().delete(keyOf(name, field))
  if (look !== 'shown') all().set(keyOf(name, field), look)
  try {
    localStorage.setItem(storageKey, JSON.stringify([...all()].slice(-most)))
  } catch {
    // If the page cannot use the browser's storage, the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener()
}

const lookOf = (name: string, field: string): Look => all().get(keyOf(name, field)) ?? 'shown'

export function toggleLook(name: string, look: 'markdown' | 'raw'): void {
  const next = lookOf(name, 'output') === look ? 'shown' : look
  for (const field of ['input', 'output']) setLook(name, field, next)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLook = (name: string, field: string): Look => useSyncExternalStore(subscribe, () => lookOf(name, field))

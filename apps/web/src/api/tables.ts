// The tables that the pages read: the new tables or the tables of v3.
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { type Me, meQuery } from './me.ts'

export type Tables = Me['tables'][number]

const listeners = new Set<() => void>()
const chosen = new Map<string, Tables>()
const keyOf = (user: string) => `svc.tables.${user}`

function chosenBy(user: string): Tables {
  const known = chosen.get(user)
  if (known !== undefined) return known
  try {
    return localStorage.getItem(keyOf(user)) === 'old' ? 'old' : 'new'
  } catch {
    // If the browser allows no storage, the choice is not known, and the page shows the new tables.
    return 'new'
  }
}

export function chooseTables(user: string, tables: Tables): void {
  chosen.set(user, tables)
  try {
    localStorage.setItem(keyOf(user), tables)
  } catch {
    // If the page cannot use the browser's storage, the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** `isChoice` is true if the installation serves both kinds of tables. */
export function useTables(): { readonly tables: Tables; readonly isChoice: boolean } {
  const { data: me } = useQuery(meQuery)
  const choice = useSyncExternalStore(subscribe, () => chosenBy(me?.user.id ?? ''))
  const served = me?.tables ?? ['new']
  return { tables: served.includes(choice) ? choice : (served[0] ?? 'new'), isChoice: served.length > 1 }
}

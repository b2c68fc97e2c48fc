// The theme: light, dark or the system's. It is applied before the first paint.
import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageKey = 'svc.theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let theme: Theme = stored()

function stored(): Theme {
  try {
    const found = localStorage.getItem(storageKey)
    return themes.find(each => each === found) ?? 'system'
  } catch {
    // If the page cannot use the browser's storage, the app uses the system's theme.
    return 'system'
  }
}

function show(): void {
  document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme
}

export function startTheme(): void {
  system.addEventListener('change', show)
  show()
}

export function setTheme(next: Theme): void {
  theme = next
  try {
    localStorage.setItem(storageKey, next)
  } catch {
    // If the page cannot use the browser's storage, the choice lasts until the page is closed.
  }
  show()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => theme)

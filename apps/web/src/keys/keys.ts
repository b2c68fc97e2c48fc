// Keyboard shortcuts. Single-key shortcuts are off while the user types in a field.
import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface KeyCommand {
  /** As in KeyboardEvent.key. The prefix `Ctrl+` stands for Ctrl or, on a Mac, Command. */
  readonly key: string
  readonly says: string
  readonly run: (event: KeyboardEvent) => void
}

let layers: readonly (() => readonly KeyCommand[])[] = []
const listeners = new Set<() => void>()

function change(next: typeof layers): void {
  layers = next
  for (const listener of listeners) listener()
}

export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** True for a key that the focused button, link or summary handles itself. */
const isOfControl = ({ target, key }: KeyboardEvent): boolean =>
  (key === ' ' || key === 'Enter') && target instanceof HTMLElement && /^(?:BUTTON|A|SUMMARY)$/.test(target.tagName)

const nameOf = ({ key, ctrlKey, metaKey }: KeyboardEvent): string => (ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key)

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return
  const name = nameOf(event)
  if (!name.startsWith('Ctrl+') && (isField(event.target) || isOfControl(event))) return
  if (document.querySelector('dialog[open]') !== null) return
  for (const commands of layers.toReversed()) {
    const command = commands().find(({ key }) => key === name)
    if (command === undefined) continue
    event.preventDefault()
    return command.run(event)
  }
}

export function listenToKeys(): void {
  document.addEventListener('keydown', onKeyDown)
}

/** Registers keys. If several components register the same key, the last registration wins. `commands` may change on every render. */
export function useKeys(commands: readonly KeyCommand[]): void {
  const latest = useRef(commands)
  latest.current = commands
  useEffect(() => {
    const layer = () => latest.current
    change([...layers, layer])
    return () => change(layers.filter(each => each !== layer))
  }, [])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useKeyList(): readonly KeyCommand[] {
  const current = useSyncExternalStore(subscribe, () => layers)
  const seen = new Set<string>()
  return current
    .toReversed()
    .flatMap(commands => commands())
    .filter(({ key }) => !seen.has(key) && seen.add(key))
}

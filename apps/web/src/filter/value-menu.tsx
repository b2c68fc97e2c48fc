// The menu of a value.
import { useEffect, useRef } from 'react'
import { observationsText as text } from '../text/observations.ts'
import type { Choices } from './choices.ts'
import css from './value-menu.module.css'
import { termOf } from './write.ts'

interface ValueMenuProps {
  readonly title: string
  readonly value: string | undefined
  readonly choices: Choices
  readonly isShown: boolean
  readonly at: DOMRect
  readonly onTerm: (term: string) => void
  readonly onColumn: (id: string) => void
  readonly onClose: () => void
}

interface Item {
  readonly says: string
  readonly run: () => void
}

export function ValueMenu({ title, value, choices, isShown, at, onTerm, onColumn, onClose }: ValueMenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = menu.current
    if (element === null) return
    element.showPopover()
    element.style.left = `${Math.min(at.left, innerWidth - element.offsetWidth - 8)}px`
    element.style.top = `${Math.min(at.bottom, innerHeight - element.offsetHeight - 8)}px`
    element.querySelector<HTMLElement>('[role=menuitem]')?.focus()
  }, [at])

  const { only, not, path, column } = choices
  const onlyTerm = only && termOf(only)
  const notTerm = not && termOf(not)
  const copy = (what: string) => () => void navigator.clipboard.writeText(what)
  const items: readonly Item[] = [
    ...(onlyTerm === undefined ? [] : [{ says: text.menu.only, run: () => onTerm(onlyTerm) }]),
    ...(notTerm === undefined ? [] : [{ says: text.menu.not, run: () => onTerm(notTerm) }]),
    ...(column === undefined ? [] : [{ says: isShown ? text.menu.hideColumn : text.menu.addColumn, run: () => onColumn(column) }]),
    ...(value === undefined ? [] : [{ says: text.menu.copy, run: copy(value) }]),
    ...(path === undefined ? [] : [{ says: text.menu.path, run: copy(path) }]),
    ...(onlyTerm === undefined ? [] : [{ says: text.menu.filter, run: copy(onlyTerm) }]),
  ]

  function move(by: number): void {
    const all = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const now = all.indexOf(document.activeElement as HTMLElement)
    all[(now + by + all.length) % all.length]?.focus()
  }

  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={text.menu.label(title)}
      className={css['menu']}
      onToggle={event => event.newState === 'closed' && onClose()}
      onKeyDown={event => {
        if (event.key === 'ArrowDown') move(1)
        else if (event.key === 'ArrowUp') move(-1)
        else return
        event.preventDefault()
      }}
    >
      {value !== undefined && <p className={css['value']}>{value}</p>}
      {items.map(({ says, run }) => (
        <button
          key={says}
          type="button"
          role="menuitem"
          className={css['item']}
          onClick={() => {
            run()
            onClose()
          }}
        >
          {says}
        </button>
      ))}
    </div>
  )
}

// A button and the popover that it opens.
import { type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react'
import { buttonClass } from './button.tsx'
import css from './popover.module.css'

interface PopoverProps {
  readonly label: string
  readonly face: ReactNode
  readonly look?: 'plain' | 'quiet'
  readonly side?: 'bottom' | 'top'
  readonly title?: string
  /** Content that is rendered only while the popover is open. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

export function Popover({ label, face, look = 'plain', side = 'bottom', title, children }: PopoverProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  function place(event: ToggleEvent<HTMLDivElement>): void {
    if (event.newState !== 'open' || button.current === null || panel.current === null) return
    const { left, right, top, bottom } = button.current.getBoundingClientRect()
    const { style } = panel.current
    const fromRight = left > innerWidth / 2
    style.left = fromRight ? 'auto' : `${left}px`
    style.right = fromRight ? `${innerWidth - right}px` : 'auto'
    style.top = side === 'bottom' ? `${bottom + 4}px` : 'auto'
    style.bottom = side === 'top' ? `${innerHeight - top + 4}px` : 'auto'
  }
  return (
    <>
      <button
        type="button"
        ref={button}
        className={buttonClass(look)}
        popoverTarget={id}
        aria-label={label}
        aria-expanded={isOpen}
        title={title}
      >
        {face}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={css['panel']}
        onBeforeToggle={place}
        onToggle={event => setOpen(event.newState === 'open')}
      >
        {isOpen && (typeof children === 'function' ? children(() => panel.current?.hidePopover()) : children)}
      </div>
    </>
  )
}

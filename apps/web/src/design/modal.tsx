// A native dialog of the browser, which keeps the focus.
import { type ReactNode, useEffect, useRef } from 'react'
import css from './modal.module.css'

interface ModalProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Modal({ label, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className={css['modal']}
      aria-label={label}
      onClose={onClose}
      onClick={event => event.target === dialog.current && onClose()}
    >
      <div className={css['inside']}>{children}</div>
    </dialog>
  )
}

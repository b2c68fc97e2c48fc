// What a page shows in addition to the rows of a list, or instead of the rows: loading, empty, error, stale.
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { text } from '../text/strings.ts'
import { timeOfDay } from '../text/units.ts'
import { Button } from './button.tsx'
import css from './states.module.css'

const skeletonAfterMs = 150

/** The placeholders are shown only if loading takes noticeably long. */
export function Loading({ rows = 12, label = text.states.loading }: { readonly rows?: number; readonly label?: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), skeletonAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label={label} className={css['loading']}>
      {isLate && Array.from({ length: rows }, (_, at) => <div key={at.toString()} className={css['bone']} data-width={at % 4} />)}
    </div>
  )
}

/** A page in a loading or error state needs a heading, too. */
export function StateOfPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <h1 className="unseen">{title}</h1>
      {children}
    </>
  )
}

interface EmptyProps {
  readonly title: string
  /** A suggestion of what the user can do. */
  readonly children?: ReactNode
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className={css['state']}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

export function Failed({ error, onRetry }: { readonly error: Error; readonly onRetry?: (() => void) | undefined }) {
  const id = error instanceof ApiError ? error.requestId : undefined
  return (
    <div className={css['state']} role="alert">
      <h2>{text.states.failed}</h2>
      <p className={css['sentence']}>{error.message}</p>
      {id !== undefined && (
        <p>
          {text.states.requestId} <code>{id}</code>
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>{text.states.retry}</Button>}
    </div>
  )
}

export function Stale({ sinceMs, error, onRetry }: { readonly sinceMs: number; readonly error: Error; readonly onRetry: () => void }) {
  return (
    <div className={css['stale']} role="status">
      {text.states.stale(timeOfDay(sinceMs))} {error.message}
      <Button look="quiet" onClick={onRetry}>
        {text.states.retry}
      </Button>
    </div>
  )
}

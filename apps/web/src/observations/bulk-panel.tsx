// Offers actions on the marked rows, or on all rows that match the filter.
import { useEffect, useRef, useState } from 'react'
import { Button, Field } from '../design/button.tsx'
import type { FilterCondition } from '../filter/condition.ts'
import type { TimeRange } from '../search/range.ts'
import { observationsText as text } from '../text/observations.ts'
import { count } from '../text/units.ts'
import { type BulkAction, matchingRows, mostOfAJob, type Progress, runBulk, tracesOf } from './bulk.ts'
import type { Marked } from './marks.ts'
import css from './table.module.css'

export interface BulkProps {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  readonly range: TimeRange
  readonly marked: readonly Marked[]
  readonly onDone: () => void
}

type State =
  | { readonly kind: 'choosing' | 'finding' }
  /** The user confirms by typing the number of rows. */
  | { readonly kind: 'confirming'; readonly rows: readonly Marked[] }
  | { readonly kind: 'running' | 'ended'; readonly progress: Progress }
  | { readonly kind: 'failed'; readonly why: string }

export function BulkPanel({ project, conditions, range, marked, onDone }: BulkProps) {
  const [isAll, setAll] = useState(marked.length === 0)
  const [score, setScore] = useState({ name: '', value: '' })
  const [typed, setTyped] = useState('')
  const [state, setState] = useState<State>({ kind: 'choosing' })
  const job = useRef<AbortController>(undefined)
  useEffect(() => () => job.current?.abort(), [])
  const fail = (error: unknown) => setState({ kind: 'failed', why: error instanceof Error ? error.message : String(error) })

  async function run(action: BulkAction, rows: readonly Marked[], signal: AbortSignal): Promise<void> {
    let last: Progress | undefined
    await runBulk(project, action, rows, {
      signal,
      onProgress(progress) {
        last = progress
        if (!signal.aborted) setState({ kind: 'running', progress })
      },
    })
    if (last !== undefined) setState({ kind: 'ended', progress: last })
    onDone()
  }

  function start(action: BulkAction): void {
    const { signal } = (job.current = new AbortController())
    setState({ kind: 'finding' })
    const rows = isAll ? matchingRows(project, conditions, range, signal) : Promise.resolve(marked)
    rows.then(found => (action.kind === 'delete' ? setState({ kind: 'confirming', rows: found }) : run(action, found, signal))).catch(fail)
  }
  const isBusy = state.kind === 'finding' || state.kind === 'running'
  return (
    <div className={css['panel']}>
      <fieldset className={css['scope']}>
        <legend className="unseen">{text.bulk}</legend>
        {marked.length > 0 && (
          <label className={css['choice']}>
            <input type="radio" name="bulk" checked={!isAll} onChange={() => setAll(false)} />
            {text.bulkOf.marked(count(marked.length))}
          </label>
        )}
        <label className={css['choice']}>
          <input type="radio" name="bulk" checked={isAll} onChange={() => setAll(true)} />
          {text.bulkOf.all}
        </label>
      </fieldset>
      {isAll && <p>{text.bulkAllHelp(count(mostOfAJob))}</p>}
      <p className={css['choice']}>
        {(['bookmark', 'unbookmark', 'delete'] as const).map(kind => (
          <Button key={kind} look={kind === 'delete' ? 'danger' : 'plain'} disabled={isBusy} onClick={() => start({ kind })}>
            {text.bulkActions[kind]}
          </Button>
        ))}
      </p>
      <form
        className={css['choice']}
        onSubmit={event => {
          event.preventDefault()
          start({ kind: 'score', ...score })
        }}
      >
        <Field label={text.scoreName} value={score.name} required onChange={({ target }) => setScore({ ...score, name: target.value })} />
        <Field
          label={text.scoreValue}
          value={score.value}
          required
          onChange={({ target }) => setScore({ ...score, value: target.value })}
        />
        <Button type="submit" disabled={isBusy}>
          {text.bulkActions.score}
        </Button>
      </form>
      {state.kind === 'confirming' && (
        <form
          className={css['choice']}
          onSubmit={event => {
            event.preventDefault()
            run({ kind: 'delete' }, state.rows, job.current!.signal).catch(fail)
          }}
        >
          <Field
            label={text.deleteType(count(tracesOf(state.rows).length))}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button look="danger" type="submit" disabled={typed.trim().replaceAll(',', '') !== String(tracesOf(state.rows).length)}>
            {text.bulkActions.delete}
          </Button>
        </form>
      )}
      <p role="status">
        {state.kind === 'finding' && text.bulkFinding}
        {(state.kind === 'running' || state.kind === 'ended') && text.bulkDone(count(state.progress.done), count(state.progress.all))}{' '}
        {'progress' in state && state.progress.failed > 0 && text.bulkFailed(count(state.progress.failed), state.progress.why)}
        {state.kind === 'failed' && state.why}
      </p>
      {isBusy && (
        <Button look="quiet" onClick={() => job.current?.abort()}>
          {text.bulkCancel}
        </Button>
      )}
    </div>
  )
}

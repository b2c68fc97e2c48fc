// The header of a trace.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { ErrorMark } from '../design/glyph.tsx'
import { fieldChoices } from '../filter/choices.ts'
import { Value } from '../filter/value.tsx'
import { traceText } from '../text/trace.ts'
import { cost, dayAndTime, duration, everyForm, shortCount } from '../text/units.ts'
import { scoresQuery } from './detail/scores.tsx'
import { setFlags, type TraceRef } from './load.ts'
import type { Head, TraceModel } from './model/model.ts'
import css from './trace.module.css'
import { Completeness } from './where.tsx'

interface HeaderProps {
  readonly traceRef: TraceRef
  readonly model: TraceModel
  readonly onCopy: (what: 'link' | 'markdown' | 'json') => Promise<void>
}

export function TraceHeader({ traceRef, model, onCopy }: HeaderProps) {
  const { head } = model
  const state = head.errors > 0 ? 'failed' : head.running > 0 ? 'runs' : 'ok'
  return (
    <header className={css['header']}>
      <div className={css['titleLine']}>
        <h1 className={css['title']}>
          <bdi>{head.name ?? head.id}</bdi>
        </h1>
        <span className={css['state']} data-state={state}>
          {state === 'failed' && <ErrorMark label={traceText.error} />}
          {traceText.state[state]}
        </span>
        <Actions traceRef={traceRef} head={head} onCopy={onCopy} />
      </div>
      <ul className={css['numbers']}>
        <li title={everyForm(head.startUs / 1000)}>{dayAndTime(head.startUs / 1000)}</li>
        <li>
          <strong>{duration(model.totalUs / 1000)}</strong>
        </li>
        {head.cost > 0 && (
          <li>
            <strong>{cost(head.cost)}</strong>
          </li>
        )}
        {head.inputTokens + head.outputTokens > 0 && (
          <li title={`${shortCount(head.inputTokens)} → ${shortCount(head.outputTokens)}`}>
            <strong>{shortCount(head.inputTokens + head.outputTokens)}</strong> {traceText.tokens}
          </li>
        )}
        <li>{traceText.observations(head.observations)}</li>
        {head.errors > 0 && <li className={css['errors']}>{traceText.errors(head.errors)}</li>}
        {head.running > 0 && <li>{traceText.running(head.running)}</li>}
        <Completeness traceRef={traceRef} head={head} />
        {traceRef.from === 'project' && <TraceScores traceRef={traceRef} />}
      </ul>
      <Context traceRef={traceRef} head={head} />
    </header>
  )
}

function TraceScores({ traceRef: { project, trace } }: { readonly traceRef: TraceRef }) {
  const { data } = useQuery(scoresQuery(project, trace))
  const ofTrace = (data?.data ?? []).filter(({ subject }) => subject?.kind === 'trace').slice(0, 6)
  return ofTrace.map(({ id, name, value }) => (
    <li key={id} className={css['pill']}>
      <bdi>{name}</bdi> <strong>{typeof value === 'number' ? Number(value.toPrecision(4)) : String(value)}</strong>
    </li>
  ))
}

function Context({ traceRef, head }: { readonly traceRef: TraceRef; readonly head: Head }) {
  const { sessionId } = head
  const facts = [
    ...(traceRef.from !== 'project' ? [['session', sessionId, 'sessionId'] as const] : []),
    ['user', head.userId, 'userId'] as const,
    ['release', head.release, 'release'] as const,
    ['version', head.version, 'version'] as const,
    ['environment', head.environment === 'default' ? null : head.environment, 'environment'] as const,
  ].flatMap(([name, value, column]) => (value === null || value === '' ? [] : [{ name, value, column }]))
  if (facts.length === 0 && head.tags.length === 0 && sessionId === null) return null
  return (
    <ul className={css['context']}>
      {traceRef.from === 'project' && sessionId !== null && (
        <li>
          session{' '}
          <Link to="/project/$projectId/sessions/$sessionId" params={{ projectId: traceRef.project, sessionId }} search={{}}>
            <bdi>{sessionId}</bdi>
          </Link>
        </li>
      )}
      {facts.map(({ name, value, column }) => (
        <li key={name}>
          {name} <TraceValue traceRef={traceRef} column={column} title={name} value={value} />
        </li>
      ))}
      {head.tags.map(tag => (
        <li key={`#${tag}`} className={css['pill']}>
          <TraceValue traceRef={traceRef} column="traceTags" title={traceText.tag} value={tag} />
        </li>
      ))}
    </ul>
  )
}

interface TraceValueProps {
  readonly traceRef: TraceRef
  readonly column: string
  readonly title: string
  readonly value: string
}

/** The value has a menu only with `from: 'project'`. The menu filters a list, but a visitor of a public trace, for example, has none. */
function TraceValue({ traceRef, column, title, value }: TraceValueProps) {
  const shown = <bdi>{value}</bdi>
  return traceRef.from !== 'project' ? (
    shown
  ) : (
    <Value choices={fieldChoices(column, value)} title={title} value={value} isOfTrace>
      {shown}
    </Value>
  )
}

interface ActionsProps {
  readonly traceRef: TraceRef
  readonly head: Head
  readonly onCopy: HeaderProps['onCopy']
}

function Actions({ traceRef, head, onCopy }: ActionsProps) {
  const queries = useQueryClient()
  // A changed flag becomes readable after a few seconds. Until then, the page shows the chosen value.
  const [asked, setAsked] = useState<{ readonly bookmarked?: boolean; readonly public?: boolean }>({})
  const change = useMutation({
    mutationFn: (flags: typeof asked) => setFlags(traceRef, flags),
    onSuccess: (_, flags) => {
      setAsked(before => ({ ...before, ...flags }))
      void queries.invalidateQueries({ queryKey: ['trace', traceRef.project, traceRef.trace], refetchType: 'none' })
    },
  })
  const { bookmarked = head.bookmarked, public: isPublic = head.public } = asked
  const [copied, setCopied] = useState('')
  const copy = (what: 'link' | 'markdown' | 'json') =>
    void onCopy(what).then(
      () => setCopied(traceText.copied),
      (error: unknown) => setCopied(error instanceof Error ? error.message : String(error)),
    )
  return (
    <div className={css['actions']}>
      <span role="status" className={css['note']}>
        {change.error?.message ?? copied}
      </span>
      <Button look="quiet" onClick={() => copy('link')}>
        {traceText.copyLink}
      </Button>
      <Button look="quiet" onClick={() => copy('markdown')}>
        {traceText.copyMarkdown}
      </Button>
      <Button look="quiet" onClick={() => copy('json')}>
        {traceText.copyJson}
      </Button>
      {traceRef.from === 'project' && (
        <>
          <Button aria-pressed={bookmarked} onClick={() => change.mutate({ bookmarked: !bookmarked })}>
            {bookmarked ? traceText.bookmarked : traceText.bookmark}
          </Button>
          <Button aria-pressed={isPublic} title={traceText.publicHelp} onClick={() => change.mutate({ public: !isPublic })}>
            {isPublic ? traceText.isPublic : traceText.makePublic}
          </Button>
        </>
      )}
    </div>
  )
}

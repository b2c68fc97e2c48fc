// The panel next to the table, with one observation.
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../api/client.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { ErrorMark, Glyph } from '../design/glyph.tsx'
import { Empty, Failed, Loading } from '../design/states.tsx'
import { fieldChoices } from '../filter/choices.ts'
import { Value } from '../filter/value.tsx'
import { observationsText as text } from '../text/observations.ts'
import { cost, count, dayAndTime, duration, everyForm } from '../text/units.ts'
import { Leaves } from '../trace/detail/leaves.tsx'
import { Scores } from '../trace/detail/scores.tsx'
import { type Detail, observationQuery } from '../trace/load.ts'
import css from './peek.module.css'

interface PeekProps {
  readonly project: string
  /** `trace:observation`. */
  readonly peek: string
  readonly href: string
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** The panel cuts longer texts. The trace view shows them completely. */
const mostCharacters = 20_000

function Content({ title, value, length }: { readonly title: string; readonly value: string; readonly length: number }) {
  const shown = value.slice(0, mostCharacters)
  return (
    <section>
      <h3>{title}</h3>
      {shown === '' ? <p className={css['muted']}>{text.peek.nothing}</p> : <pre className={css['text']}>{shown}</pre>}
      {value.length > mostCharacters && <p className={css['muted']}>{text.peek.cut(count(mostCharacters), count(length))}</p>}
    </section>
  )
}

function Facts({ of }: { readonly of: Detail }) {
  const facts: readonly (readonly [name: string, value: string | null, column?: string])[] = [
    ['Started', dayAndTime(of.startTime)],
    ['Latency', of.endUs === null ? null : duration((Number(of.endUs) - Number(of.startUs)) / 1_000)],
    ['Model', of.model, 'model'],
    ['Cost', of.costDetails['total'] === undefined ? null : cost(of.costDetails['total'])],
    ['Tokens', of.usageDetails['total'] === undefined ? null : count(of.usageDetails['total'])],
    ['User', of.userId, 'userId'],
    ['Session', of.sessionId, 'sessionId'],
    ['Environment', of.environment, 'environment'],
    ['Release', of.release, 'release'],
    ...of.tags.map(tag => ['Tag', tag, 'traceTags'] as const),
  ]
  return (
    <dl className={css['facts']}>
      {facts.map(([name, value, column]) =>
        value === null || value === '' ? null : (
          <div key={`${name} ${value}`}>
            <dt>{name}</dt>
            <dd title={name === 'Started' ? everyForm(of.startTime) : undefined}>
              {column === undefined ? value : <Value choices={fieldChoices(column, value)} title={name} value={value} />}
            </dd>
          </div>
        ),
      )}
    </dl>
  )
}

export function Peek({ project, peek, href, onOpen, onClose }: PeekProps) {
  const [trace = '', id = ''] = peek.split(':')
  const { data, error, isPending, refetch } = useQuery({
    ...observationQuery({ project, trace, from: 'project' }, id),
    placeholderData: (before: Detail | undefined) => before,
    retry: false,
  })
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <aside className={css['peek']} aria-label={text.peek.label}>
      <header className={css['head']}>
        {data && <Glyph type={data.type} />}
        {data?.level === 'ERROR' && <ErrorMark label={text.cell.error} />}
        <h2 className={css['title']}>{data?.name ?? data?.id ?? ''}</h2>
        <a
          className={buttonClass()}
          href={href}
          onClick={event => {
            event.preventDefault()
            onOpen()
          }}
        >
          {text.peek.open}
        </a>
        <Button look="quiet" onClick={onClose} aria-label={text.peek.close}>
          ✕
        </Button>
      </header>
      <div className={css['scroll']} tabIndex={0} role="region" aria-label={text.peek.label}>
        {isPending && <Loading rows={8} />}
        {isGone ? <Empty title={text.peek.gone} /> : error !== null && <Failed error={error} onRetry={() => void refetch()} />}
        {data && (
          <>
            {data.statusMessage && <p className={css['status']}>{data.statusMessage}</p>}
            <Facts of={data} />
            <Content title={text.peek.input} value={data.input} length={data.inputLength} />
            <Content title={text.peek.output} value={data.output} length={data.outputLength} />
            <Scores project={project} of={data} />
            {data.metadata.length > 0 && (
              <section>
                <h3>{text.peek.metadata}</h3>
                <Leaves of={data} isFilter />
                {data.metadataCount > data.metadata.length && (
                  <p className={css['muted']}>{text.peek.moreLeaves(count(data.metadata.length), count(data.metadataCount))}</p>
                )}
              </section>
            )}
          </>
        )}
      </div>
    </aside>
  )
}

// The panel next to the table. It shows one observation, with its texts unchanged, while the keys j and k move through the list.
import { useQuery } from '@tanstack/react-query'
import { call, type ResultOf } from '../api/client.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { ErrorMark, Glyph } from '../design/glyph.tsx'
import { Empty, Failed, Loading } from '../design/states.tsx'
import { Value } from '../filter/value.tsx'
import { observationsText as text } from '../text/observations.ts'
import { cost, count, dayAndTime, duration, everyForm } from '../text/units.ts'
import css from './peek.module.css'

type Detail = ResultOf<'observations.getMany'>['data'][number]

interface PeekProps {
  readonly project: string
  /** `trace:observation`. */
  readonly peek: string
  readonly href: string
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** Maximum characters of a text that the panel shows. The trace view shows a text completely. */
const mostCharacters = 20_000

function useObservation(project: string, peek: string) {
  const [trace = '', id = ''] = peek.split(':')
  return useQuery({
    queryKey: ['observation', project, trace, id],
    queryFn: async ({ signal }) => {
      const is = (column: string, value: string) => ({ type: 'string', column, operator: '=', value })
      const filter = JSON.stringify([is('traceId', trace), is('id', id)])
      const fields = 'core,basic,io,metadata,model,usage,prompt,metrics,trace_context'
      const { data } = await call('observations.getMany', { project, query: { limit: 1, filter, fields }, signal })
      return data[0] ?? null
    },
    placeholderData: before => before,
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

function Content({ title, value }: { readonly title: string; readonly value: unknown }) {
  const whole = value === null || value === undefined ? '' : textOf(value)
  return (
    <section>
      <h3>{title}</h3>
      {whole === '' ? (
        <p className={css['muted']}>{text.peek.nothing}</p>
      ) : (
        <pre className={css['text']}>{whole.slice(0, mostCharacters)}</pre>
      )}
      {whole.length > mostCharacters && <p className={css['muted']}>{text.peek.cut(count(mostCharacters), count(whole.length))}</p>}
    </section>
  )
}

function Facts({ of }: { readonly of: Detail }) {
  const facts: readonly (readonly [name: string, value: string | null | undefined, column?: string])[] = [
    ['Started', dayAndTime(of.startTime)],
    ['Latency', of.latency === null || of.latency === undefined ? null : duration(of.latency * 1_000)],
    ['Model', of.model, 'model'],
    ['Cost', of.totalCost === null || of.totalCost === undefined ? null : cost(of.totalCost)],
    ['Tokens', of.usageDetails?.['total'] === undefined ? null : count(of.usageDetails['total'])],
    ['User', of.userId, 'userId'],
    ['Session', of.sessionId, 'sessionId'],
    ['Environment', of.environment, 'environment'],
    ['Release', of.release, 'release'],
    ...(of.tags ?? []).map(tag => ['Tag', tag, 'traceTags'] as const),
  ]
  return (
    <dl className={css['facts']}>
      {facts.map(([name, value, column]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={`${name} ${value}`}>
            <dt>{name}</dt>
            <dd title={name === 'Started' ? everyForm(of.startTime) : undefined}>
              {column === undefined ? value : <Value column={column} title={name} value={value} />}
            </dd>
          </div>
        ),
      )}
    </dl>
  )
}

export function Peek({ project, peek, href, onOpen, onClose }: PeekProps) {
  const { data, error, isPending, refetch } = useObservation(project, peek)
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
        {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
        {data === null && <Empty title={text.peek.gone} />}
        {data && (
          <>
            {data.statusMessage && <p className={css['status']}>{data.statusMessage}</p>}
            <Facts of={data} />
            <Content title={text.peek.input} value={data.input} />
            <Content title={text.peek.output} value={data.output} />
            {Object.keys(data.metadata ?? {}).length > 0 && <Content title={text.peek.metadata} value={data.metadata} />}
          </>
        )}
      </div>
    </aside>
  )
}

// Scores of an observation.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { scoreChoices, scoreNameChoices } from '../../filter/choices.ts'
import { Value } from '../../filter/value.tsx'
import { traceText } from '../../text/trace.ts'
import type { Detail } from '../load.ts'
import css from './detail.module.css'
import { Section } from './facts.tsx'

const most = 100

export const scoresQuery = (project: string, traceId: string) => ({
  queryKey: ['trace', project, traceId, 'scores'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    call('scores.getMany', { project, query: { traceId, fields: 'subject,details', limit: most }, signal }),
  staleTime: 30_000,
})

export function Scores({ project, of }: { readonly project: string; readonly of: Detail }) {
  const { data } = useQuery(scoresQuery(project, of.traceId))
  const isRoot = of.parentObservationId === null
  const scores = (data?.data ?? []).filter(({ subject }) =>
    subject?.kind === 'observation' ? subject.id === of.id : subject?.kind === 'trace' ? isRoot : false,
  )
  if (scores.length === 0) return null
  return (
    <Section title={traceText.detail.scores}>
      <dl className={css['list']}>
        {scores.map(({ id, name, value, comment, source, subject }) => (
          <div key={id}>
            <dt>
              <Value choices={scoreNameChoices(name, subject?.kind === 'trace')} title={name} value={name}>
                <bdi>{name}</bdi>
              </Value>
            </dt>
            <dd>
              <strong>
                <Value choices={scoreChoices(name, value, subject?.kind === 'trace')} title={name} value={String(value)} />
              </strong>{' '}
              <span className={css['note']}>{source.toLowerCase()}</span>
              {comment !== null && comment !== undefined && comment !== '' && <p dir="auto">{comment}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

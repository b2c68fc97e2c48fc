// Explains an observation: shows the span's position on the log, and each column's value with its rule and its span attributes.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { traceText } from '../../text/trace.ts'
import { everyForm } from '../../text/units.ts'
import type { Detail } from '../load.ts'
import css from './detail.module.css'

const { explain: text } = traceText

/** The panel above shows whole contents, so this table shows only their beginning. */
const mostCharacters = 120

function shortOf(value: unknown): string {
  const all = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return all.length <= mostCharacters ? all : `${all.slice(0, mostCharacters)}…`
}

export function Explain({ project, of }: { readonly project: string; readonly of: Detail }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={css['explain']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{text.title}</summary>
      {isOpen && <Explained project={project} of={of} />}
    </details>
  )
}

function Explained({ project, of: { id, traceId } }: { readonly project: string; readonly of: Detail }) {
  const { data, error } = useQuery({
    queryKey: ['trace', project, traceId, 'explain', id],
    queryFn: ({ signal }) => call('webWhere.explain', { params: { projectId: project, observationId: id }, query: { traceId }, signal }),
    staleTime: 60_000,
  })
  if (error !== null) return <p role="alert">{error.message}</p>
  if (data === undefined) return <p className={css['note']}>{text.loading}</p>
  const columns = Object.entries(data.columns ?? {}).filter(([, { rule }]) => rule !== null)
  return (
    <>
      <p className={css['note']}>{data.message}</p>
      {data.place !== null && (
        <p>
          <code>{text.place(data.place)}</code>{' '}
          <span className={css['note']} title={everyForm(data.storedAt)}>
            {text.storedAt} {everyForm(data.storedAt).split('\n')[0]}
          </span>
        </p>
      )}
      {columns.length > 0 && (
        <div className={css['wide']} tabIndex={0} role="region" aria-label={text.title}>
          <table className={css['rules']}>
            <thead>
              <tr>
                <th scope="col">{text.column}</th>
                <th scope="col">{text.value}</th>
                <th scope="col">{text.rule}</th>
                <th scope="col">{text.attributes}</th>
              </tr>
            </thead>
            <tbody>
              {columns.map(([name, { value, rule, attributes }]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td dir="auto">{shortOf(value)}</td>
                  <td>{rule}</td>
                  <td>
                    <bdi>{attributes.join(', ')}</bdi>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data.notes.length > 0 && (
        <ul className={css['tools']}>
          {data.notes.map(({ about, name, why }) => (
            <li key={`${about} ${name} ${why}`}>
              {about} <bdi>{name}</bdi>: {why}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

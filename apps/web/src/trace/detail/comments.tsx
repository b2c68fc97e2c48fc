// Comments on an observation.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { meQuery } from '../../api/me.ts'
import { readAfterWrite } from '../../api/queries.ts'
import { Button } from '../../design/button.tsx'
import { traceText } from '../../text/trace.ts'
import { dayAndTime, everyForm } from '../../text/units.ts'
import type { Detail } from '../load.ts'
import css from './detail.module.css'
import { Section } from './facts.tsx'

const { detail: text } = traceText

type ObjectType = 'TRACE' | 'OBSERVATION'

const commentsQuery = (project: string, objectType: ObjectType, objectId: string) => ({
  queryKey: ['comments', project, objectType, objectId],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    call('comments.get', { project, query: { objectType, objectId, limit: 100 }, signal }),
  staleTime: 30_000,
})

export function Comments({ project, of }: { readonly project: string; readonly of: Detail }) {
  const isRoot = of.parentObservationId === null
  const { data: me } = useQuery(meQuery)
  const own = useQuery(commentsQuery(project, 'OBSERVATION', of.id))
  const ofTrace = useQuery({ ...commentsQuery(project, 'TRACE', of.traceId), enabled: isRoot })
  const queries = useQueryClient()
  const [said, setSaid] = useState('')
  const send = useMutation({
    mutationFn: (content: string) =>
      call('comments.create', {
        project,
        body: { projectId: project, objectType: 'OBSERVATION', objectId: of.id, content, ...(me && { authorUserId: me.user.id }) },
      }),
    onSuccess: async () => {
      setSaid('')
      await readAfterWrite(queries, ['comments', project])
    },
  })
  const all = [...(own.data?.data ?? []), ...(isRoot ? (ofTrace.data?.data ?? []) : [])].sort((a, b) =>
    a.createdAt.localeCompare(b.createdAt),
  )
  return (
    <Section title={text.comments}>
      {all.map(({ id, content, createdAt, authorUserId }) => (
        <article key={id} className={css['comment']}>
          <p className={css['note']}>
            {authorUserId === me?.user.id ? (me?.user.name ?? me?.user.email) : (authorUserId ?? 'API')}{' '}
            <time dateTime={createdAt} title={everyForm(createdAt)}>
              {dayAndTime(createdAt)}
            </time>
          </p>
          <p className={css['said']} dir="auto">
            {content}
          </p>
        </article>
      ))}
      <form
        className={css['write']}
        onSubmit={event => {
          event.preventDefault()
          if (said.trim() !== '') send.mutate(said)
        }}
      >
        <textarea
          className={css['area']}
          rows={1}
          maxLength={5_000}
          value={said}
          placeholder={text.comment}
          aria-label={text.comment}
          onChange={({ target }) => setSaid(target.value)}
        />
        <Button type="submit" disabled={said.trim() === '' || send.isPending}>
          {text.send}
        </Button>
      </form>
      {send.error !== null && <p role="alert">{send.error.message}</p>}
    </Section>
  )
}

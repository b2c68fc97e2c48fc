// Members of the organization and their roles.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ResultOf } from '../api/client.ts'
import { Section } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { placesText } from '../text/places.ts'
import css from './settings.module.css'

type Member = ResultOf<'organizations.getOrganizationMemberships'>['memberships'][number]

const text = placesText.settings
const roles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER', 'NONE'] as const

export function Members({ organization }: { readonly organization: string }) {
  const cache = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['members', organization],
    queryFn: ({ signal }) => call('organizations.getOrganizationMemberships', { organization, signal }),
  })
  const change = useMutation({
    mutationFn: (body: { readonly userId: string; readonly role: Member['role'] }) =>
      call('organizations.updateOrganizationMembership', { organization, body }),
    onSettled: () => cache.invalidateQueries({ queryKey: ['members', organization] }),
  })
  const columns: readonly PlainColumn<Member>[] = [
    { title: text.name, show: ({ name }) => name },
    { title: text.email, show: ({ email }) => email },
    {
      title: text.role,
      show: ({ userId, role, email }) => (
        <select
          aria-label={`${text.role}: ${email ?? userId}`}
          className={css['role']}
          value={role}
          onChange={event => {
            const next = roles.find(each => each === event.target.value)
            if (next !== undefined) change.mutate({ userId, role: next })
          }}
        >
          {roles.map(each => (
            <option key={each} value={each}>
              {each.toLowerCase()}
            </option>
          ))}
        </select>
      ),
    },
  ]
  return (
    <Section title={text.members} help={text.membersHelp}>
      {change.error !== null && (
        <p role="alert" className={css['error']}>
          {change.error.message}
        </p>
      )}
      <PlainTable
        label={text.members}
        columns={columns}
        lines={data?.memberships}
        keyOf={({ userId }) => userId}
        empty={text.noMembers}
        error={error}
        onRetry={() => void refetch()}
      />
    </Section>
  )
}

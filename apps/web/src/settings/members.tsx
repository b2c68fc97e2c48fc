// Members of the organization and their roles.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ResultOf } from '../api/client.ts'
import { readAfterWrite } from '../api/queries.ts'
import { Button } from '../design/button.tsx'
import { Section } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { placesText } from '../text/places.ts'
import { Invite, roles, ShownLink } from './invite.tsx'
import css from './settings.module.css'

type Member = ResultOf<'organizations.getOrganizationMemberships'>['memberships'][number]

const text = placesText.settings

export function Members({ organization }: { readonly organization: string }) {
  const cache = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['members', organization],
    queryFn: ({ signal }) => call('organizations.getOrganizationMemberships', { organization, signal }),
  })
  const again = () => readAfterWrite(cache, ['members', organization])
  const change = useMutation({
    mutationFn: (body: { readonly userId: string; readonly role: Member['role'] }) =>
      call('organizations.updateOrganizationMembership', { organization, body }),
    onSettled: again,
  })
  const remove = useMutation({
    mutationFn: (userId: string) => call('organizations.deleteOrganizationMembership', { organization, body: { userId } }),
    onSettled: again,
  })
  const link = useMutation({
    mutationFn: async ({ userId, email }: Member) => ({
      email: email ?? userId,
      link: await call('webMembers.createLink', { params: { orgId: organization, userId } }),
    }),
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
    {
      title: text.access,
      show: member => (
        <>
          <Button look="quiet" onClick={() => link.mutate(member)}>
            {text.makeLink}
          </Button>
          <Button look="danger" onClick={() => confirm(text.removeSure(member.email ?? member.userId)) && remove.mutate(member.userId)}>
            {text.removeMember}
          </Button>
        </>
      ),
    },
  ]
  const failure = change.error ?? remove.error ?? link.error
  return (
    <Section title={text.members} help={text.membersHelp}>
      <Invite organization={organization} onInvited={() => void again()} />
      {link.data && <ShownLink {...link.data} />}
      {failure !== null && (
        <p role="alert" className={css['error']}>
          {failure.message}
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

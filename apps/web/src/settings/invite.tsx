// A form that invites a person. The administrator copies the one-time sign-in link and sends the link to this person.
import { useMutation } from '@tanstack/react-query'
import { basePath, call, type ResultOf } from '../api/client.ts'
import { Button, Field } from '../design/button.tsx'
import { placesText } from '../text/places.ts'
import { dayAndTime } from '../text/units.ts'
import css from './settings.module.css'

const text = placesText.settings
export const roles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER', 'NONE'] as const

interface NewLink {
  readonly email: string
  readonly link: ResultOf<'webMembers.createLink'> | null
}

/** The linked page asks for a new password, because the person has no password yet or has forgotten the password. */
const addressOf = (token: string): string => `${location.origin}${basePath}setup?token=${token}&choose=1`

export function ShownLink({ email, link }: NewLink) {
  if (link === null) return <p role="status">{text.hasAccount(email)}</p>
  const address = addressOf(link.token)
  return (
    <div className={css['secret']} role="status">
      <p>{text.newLink(email, dayAndTime(link.expiresAt))}</p>
      <pre tabIndex={0}>{address}</pre>
      <div>
        <Button onClick={() => void navigator.clipboard.writeText(address)}>{text.copyLink}</Button>
      </div>
    </div>
  )
}

export function Invite({ organization, onInvited }: { readonly organization: string; readonly onInvited: () => void }) {
  const invite = useMutation({
    mutationFn: (form: FormData) =>
      call('webMembers.invite', {
        params: { orgId: organization },
        body: { email: String(form.get('email')), role: roles.find(role => role === form.get('role')) ?? 'MEMBER' },
      }),
    onSuccess: onInvited,
  })
  return (
    <>
      <form
        className={css['invite']}
        onSubmit={event => {
          event.preventDefault()
          invite.mutate(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.inviteEmail} name="email" type="email" autoComplete="off" required />
        <label className={css['labeled']}>
          {text.role}
          <select name="role" className={css['role']} defaultValue="MEMBER">
            {roles.map(each => (
              <option key={each} value={each}>
                {each.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        <Button look="primary" type="submit" disabled={invite.isPending}>
          {text.invite}
        </Button>
      </form>
      {invite.error !== null && (
        <p role="alert" className={css['error']}>
          {invite.error.message}
        </p>
      )}
      {invite.data && <ShownLink {...invite.data} />}
    </>
  )
}

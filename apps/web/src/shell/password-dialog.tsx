// A dialog that changes the password of the signed-in user.
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { type Me, meQuery } from '../api/me.ts'
import { queries } from '../api/queries.ts'
import { Button, Field } from '../design/button.tsx'
import { Modal } from '../design/modal.tsx'
import css from '../sign-in/sign-in.module.css'
import { signInText as text } from '../text/sign-in.ts'

export function PasswordDialog({ me, onClose }: { readonly me: Me; readonly onClose: () => void }) {
  const change = useMutation({
    mutationFn: (form: FormData) => {
      const current = form.get('current')
      return call('ui.changePassword', {
        body: { password: String(form.get('next')), ...(current !== null && { current: String(current) }) },
      })
    },
    onSuccess: next => queries.setQueryData(meQuery.queryKey, next),
  })
  return (
    <Modal label={text.change} onClose={onClose}>
      <form
        className={css['form']}
        onSubmit={event => {
          event.preventDefault()
          change.mutate(new FormData(event.currentTarget))
        }}
      >
        <h2>{text.change}</h2>
        {/* Password managers find the account by this field. */}
        <input type="hidden" name="username" autoComplete="username" value={me.user.email} readOnly />
        {me.user.hasPassword && !change.isSuccess && (
          <Field label={text.current} name="current" type="password" autoComplete="current-password" required />
        )}
        {!change.isSuccess && <Field label={text.next} name="next" type="password" autoComplete="new-password" required />}
        {change.error !== null && (
          <p role="alert" className={css['error']}>
            {change.error.message}
          </p>
        )}
        {change.isSuccess ? (
          <p role="status">{text.saved}</p>
        ) : (
          <Button look="primary" type="submit" disabled={change.isPending}>
            {text.save}
          </Button>
        )}
      </form>
    </Modal>
  )
}

// Sign-in with email and password, or by an identity provider.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { basePath, call } from '../api/client.ts'
import { meQuery } from '../api/me.ts'
import { queries } from '../api/queries.ts'
import { Button, buttonClass, Field } from '../design/button.tsx'
import { signInText as text } from '../text/sign-in.ts'
import css from './sign-in.module.css'

export function SignInPage() {
  const { to, error: refused } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [state, setState] = useState<{ readonly working: boolean; readonly error?: string | undefined }>({ working: false, error: refused })
  const { data: options } = useQuery({ queryKey: ['sign-in'], queryFn: ({ signal }) => call('ui.signInOptions', { signal }) })

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setState({ working: true })
    try {
      await call('ui.signIn', { body: { email: String(form.get('email')), password: String(form.get('password')) } })
      queries.clear()
      await queries.fetchQuery({ ...meQuery, staleTime: 0 })
      // A malicious link must not redirect the user to a different site.
      await (to?.startsWith('/') && !to.startsWith('//') ? navigate({ href: to }) : navigate({ to: '/' }))
    } catch (error) {
      setState({ working: false, error: error instanceof Error ? error.message : String(error) })
    }
  }

  return (
    <main className={css['page']}>
      <form className={css['card']} onSubmit={event => void submit(event)}>
        <h1>{text.title}</h1>
        <Field label={text.email} name="email" type="email" autoComplete="username" required />
        <Field label={text.password} name="password" type="password" autoComplete="current-password" required />
        {state.error !== undefined && (
          <p role="alert" className={css['error']}>
            {state.error}
          </p>
        )}
        <Button look="primary" type="submit" disabled={state.working}>
          {state.working ? text.working : text.submit}
        </Button>
        {options?.oidc && (
          <a className={buttonClass()} href={`${basePath}api/ui/session/oidc?to=${encodeURIComponent(to ?? '/')}`}>
            {text.provider(options.oidc.name)}
          </a>
        )}
        <p className={css['help']}>{text.forgotten}</p>
      </form>
    </main>
  )
}

// The page for a one-time sign-in link. The link that `npm start` prints signs the user in immediately. An invitation link first asks for a
// password.
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Button, Field } from '../design/button.tsx'
import { signInText as text } from '../text/sign-in.ts'
import css from './sign-in.module.css'

export function SetupPage() {
  const { token, choose } = useSearch({ from: '/setup' })
  const navigate = useNavigate()
  const isSent = useRef(false)
  const [error, setError] = useState<string | undefined>(token === undefined ? text.linkMissing : undefined)
  const [isWorking, setWorking] = useState(false)
  const asks = choose === '1' && token !== undefined
  const redeem = useCallback(
    async (body: { readonly token: string; readonly password?: string }) => {
      setWorking(true)
      setError(undefined)
      try {
        await call('ui.redeemLink', { body })
        queries.clear()
        await navigate({ to: '/', replace: true })
      } catch (failure) {
        setWorking(false)
        setError(failure instanceof Error ? failure.message : String(failure))
      }
    },
    [navigate],
  )
  useEffect(() => {
    // The server refuses a second use of the link.
    if (token === undefined || asks || isSent.current) return
    isSent.current = true
    void redeem({ token })
  }, [token, asks, redeem])
  const alert = error !== undefined && (
    <p role="alert" className={css['error']}>
      {error}
    </p>
  )
  return (
    <main className={css['page']}>
      {asks ? (
        <form
          className={css['card']}
          onSubmit={event => {
            event.preventDefault()
            void redeem({ token, password: String(new FormData(event.currentTarget).get('password')) })
          }}
        >
          <h1>{text.choose}</h1>
          <p>{text.chooseHelp}</p>
          <Field label={text.password} name="password" type="password" autoComplete="new-password" required />
          {alert}
          <Button look="primary" type="submit" disabled={isWorking}>
            {isWorking ? text.working : text.chooseSubmit}
          </Button>
        </form>
      ) : (
        <div className={css['card']}>
          <h1>{error === undefined ? text.linkTitle : text.linkFailed}</h1>
          {error === undefined ? (
            <p role="status">{text.linkWorking}</p>
          ) : (
            <>
              {alert}
              <p>{text.linkHelp}</p>
              <Link to="/sign-in" search={{}}>
                {text.title}
              </Link>
            </>
          )}
        </div>
      )}
    </main>
  )
}

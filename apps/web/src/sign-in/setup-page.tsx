// The one-time link that `npm start` prints: it signs in, once.
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { text } from '../text/strings.ts'
import css from './sign-in.module.css'

export function SetupPage() {
  const { token } = useSearch({ from: '/setup' })
  const navigate = useNavigate()
  const isSent = useRef(false)
  const [error, setError] = useState<string | undefined>(token === undefined ? text.signIn.linkMissing : undefined)
  useEffect(() => {
    // The page uses the link only once, because the server refuses a second use.
    if (token === undefined || isSent.current) return
    isSent.current = true
    call('ui.redeemLink', { body: { token } })
      .then(() => {
        queries.clear()
        return navigate({ to: '/', replace: true })
      })
      .catch((failure: Error) => setError(failure.message))
  }, [token, navigate])
  return (
    <main className={css['page']}>
      <div className={css['card']}>
        <h1>{error === undefined ? text.signIn.linkTitle : text.signIn.linkFailed}</h1>
        {error === undefined ? (
          <p role="status">{text.signIn.linkWorking}</p>
        ) : (
          <>
            <p role="alert" className={css['error']}>
              {error}
            </p>
            <p>{text.signIn.linkHelp}</p>
            <Link to="/sign-in" search={{}}>
              {text.signIn.title}
            </Link>
          </>
        )}
      </div>
    </main>
  )
}

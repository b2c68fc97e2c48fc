// The menu of the user: theme, list of keys, signing out.
import { useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { call } from '../api/client.ts'
import type { Me } from '../api/me.ts'
import { queries } from '../api/queries.ts'
import { Popover } from '../design/popover.tsx'
import { setTheme, themes, useTheme } from '../design/theme.ts'
import { text } from '../text/strings.ts'
import css from './account-menu.module.css'

const ZoneChoice = lazy(() => import('./zone-choice.tsx').then(module => ({ default: module.ZoneChoice })))
const PasswordDialog = lazy(() => import('./password-dialog.tsx').then(module => ({ default: module.PasswordDialog })))

export function AccountMenu({ me, onKeys }: { readonly me: Me; readonly onKeys: () => void }) {
  const theme = useTheme()
  const [isChanging, setChanging] = useState(false)
  const router = useRouter()
  async function signOut(): Promise<void> {
    await call('ui.signOut')
    queries.clear()
    await router.navigate({ to: '/sign-in', search: {} })
  }
  return (
    <>
      <Popover
        label={`${text.shell.account}: ${me.user.name ?? me.user.email}`}
        look="quiet"
        side="top"
        face={<span className={css['name']}>{me.user.name ?? me.user.email}</span>}
      >
        <div className={css['menu']}>
          <p className={css['email']}>{me.user.email}</p>
          <fieldset className={css['themes']}>
            <legend>{text.shell.theme}</legend>
            {themes.map(each => (
              <label key={each}>
                <input type="radio" name="theme" checked={theme === each} onChange={() => setTheme(each)} />
                {text.shell.themes[each]}
              </label>
            ))}
          </fieldset>
          <Suspense>
            <ZoneChoice />
          </Suspense>
          <button type="button" className={css['line']} onClick={onKeys}>
            {text.shell.keys} <kbd>?</kbd>
          </button>
          <button type="button" className={css['line']} onClick={() => setChanging(true)}>
            {text.shell.password}
          </button>
          <button type="button" className={css['line']} onClick={() => void signOut()}>
            {text.shell.signOut}
          </button>
        </div>
      </Popover>
      {isChanging && (
        <Suspense>
          <PasswordDialog me={me} onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  )
}

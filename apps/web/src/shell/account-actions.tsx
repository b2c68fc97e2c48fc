// What the menu of the user shows: theme, time zone, list of keys, password, signing out.
import { useRouter } from '@tanstack/react-router'
import { call } from '../api/client.ts'
import type { Me } from '../api/me.ts'
import { queries } from '../api/queries.ts'
import { setTheme, themes, useTheme } from '../design/theme.ts'
import { text } from '../text/strings.ts'
import css from './account-menu.module.css'
import { ZoneChoice } from './zone-choice.tsx'

interface AccountActionsProps {
  readonly me: Me
  readonly onKeys: () => void
  readonly onPassword: () => void
}

export function AccountActions({ me, onKeys, onPassword }: AccountActionsProps) {
  const theme = useTheme()
  const router = useRouter()
  async function signOut(): Promise<void> {
    await call('ui.signOut')
    queries.clear()
    await router.navigate({ to: '/sign-in', search: {} })
  }
  return (
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
      <ZoneChoice />
      <button type="button" className={css['line']} onClick={onKeys}>
        {text.shell.keys} <kbd>?</kbd>
      </button>
      <button type="button" className={css['line']} onClick={onPassword}>
        {text.shell.password}
      </button>
      <button type="button" className={css['line']} onClick={() => void signOut()}>
        {text.shell.signOut}
      </button>
    </div>
  )
}

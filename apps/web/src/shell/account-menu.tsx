// The button that opens the menu of the user.
import { lazy, Suspense, useState } from 'react'
import type { Me } from '../api/me.ts'
import { Popover } from '../design/popover.tsx'
import { text } from '../text/strings.ts'
import css from './account-menu.module.css'

const AccountActions = lazy(() => import('./account-actions.tsx').then(module => ({ default: module.AccountActions })))
const PasswordDialog = lazy(() => import('./password-dialog.tsx').then(module => ({ default: module.PasswordDialog })))

export function AccountMenu({ me, onKeys }: { readonly me: Me; readonly onKeys: () => void }) {
  const [isChanging, setChanging] = useState(false)
  return (
    <>
      <Popover
        label={`${text.shell.account}: ${me.user.name ?? me.user.email}`}
        look="quiet"
        side="top"
        face={<span className={css['name']}>{me.user.name ?? me.user.email}</span>}
      >
        <Suspense>
          <AccountActions me={me} onKeys={onKeys} onPassword={() => setChanging(true)} />
        </Suspense>
      </Popover>
      {isChanging && (
        <Suspense>
          <PasswordDialog me={me} onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  )
}

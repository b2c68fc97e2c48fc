// The frame around every page.
import { Outlet } from '@tanstack/react-router'
import { Fragment, lazy, Suspense, useState } from 'react'
import { useKeys } from '../keys/keys.ts'
import { text } from '../text/strings.ts'
import { useZone } from '../text/zone.ts'
import { MigrationBanner } from './migration-banner.tsx'
import { usePasteAnywhere } from './pasted-place.ts'
import { Rail } from './rail.tsx'
import css from './shell.module.css'
import { TopBar } from './top-bar.tsx'

const KeyList = lazy(() => import('./key-list.tsx').then(module => ({ default: module.KeyList })))
const Palette = lazy(() => import('./palette.tsx').then(module => ({ default: module.Palette })))

export function Shell() {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const close = () => setOpen(null)
  usePasteAnywhere()
  useKeys([
    { key: 'Ctrl+k', says: text.shell.commands, run: () => setOpen('palette') },
    { key: '?', says: text.shell.keys, run: () => setOpen('keys') },
  ])
  return (
    <div className={css['shell']}>
      <a className={css['skip']} href="#content">
        {text.shell.skip}
      </a>
      <Rail onKeys={() => setOpen('keys')} />
      <TopBar onCommands={() => setOpen('palette')} />
      <main id="content" className={css['content']} tabIndex={0}>
        {/* Every time on the page depends on the zone. */}
        <Fragment key={useZone() ?? ''}>
          <MigrationBanner />
          <Outlet />
        </Fragment>
      </main>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'keys' && <KeyList onClose={close} />}
      </Suspense>
    </div>
  )
}

// The frame around every page: the rail at the left, the bar at the top, and the dialogs for commands and keys.
import { Outlet } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { useKeys } from '../keys/keys.ts'
import { text } from '../text/strings.ts'
import { useZone } from '../text/zone.ts'
import { KeyList } from './key-list.tsx'
import { MigrationBanner } from './migration-banner.tsx'
import { Palette } from './palette.tsx'
import { usePasteAnywhere } from './pasted-place.ts'
import { Rail } from './rail.tsx'
import css from './shell.module.css'
import { TopBar } from './top-bar.tsx'

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
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'keys' && <KeyList onClose={close} />}
    </div>
  )
}

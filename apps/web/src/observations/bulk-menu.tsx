// The button above the table that opens actions on many rows.
import { lazy, Suspense } from 'react'
import { Popover } from '../design/popover.tsx'
import { Loading } from '../design/states.tsx'
import { observationsText as text } from '../text/observations.ts'
import type { BulkProps } from './bulk-panel.tsx'

// The code is loaded when the user opens the menu.
const BulkPanel = lazy(() => import('./bulk-panel.tsx').then(module => ({ default: module.BulkPanel })))

export const BulkMenu = (props: BulkProps) => (
  <Popover label={text.bulk} look="quiet" face={text.bulk}>
    <Suspense fallback={<Loading rows={3} />}>
      <BulkPanel {...props} />
    </Suspense>
  </Popover>
)

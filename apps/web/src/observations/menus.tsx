// The buttons above the table, which open panels. A panel's code is loaded when the user opens it.
import { lazy, Suspense } from 'react'
import { Popover } from '../design/popover.tsx'
import { Loading } from '../design/states.tsx'
import { observationsText as text } from '../text/observations.ts'
import type { BulkProps } from './bulk-panel.tsx'
import type { ExportProps } from './export-panel.tsx'
import type { ViewsProps } from './views-panel.tsx'

const BulkPanel = lazy(() => import('./bulk-panel.tsx').then(module => ({ default: module.BulkPanel })))
const ExportPanel = lazy(() => import('./export-panel.tsx').then(module => ({ default: module.ExportPanel })))
const ViewsPanel = lazy(() => import('./views-panel.tsx').then(module => ({ default: module.ViewsPanel })))

const loading = <Loading rows={3} />

export const BulkMenu = (props: BulkProps) => (
  <Popover label={text.bulk} look="quiet" face={text.bulk}>
    <Suspense fallback={loading}>
      <BulkPanel {...props} />
    </Suspense>
  </Popover>
)

export const ExportMenu = (props: ExportProps) => (
  <Popover label={text.export} look="quiet" face={text.export}>
    <Suspense fallback={loading}>
      <ExportPanel {...props} />
    </Suspense>
  </Popover>
)

export const ViewsMenu = (props: ViewsProps) => (
  <Popover label={text.views} look="quiet" face={text.views}>
    {close => (
      <Suspense fallback={loading}>
        <ViewsPanel {...props} onClose={close} />
      </Suspense>
    )}
  </Popover>
)

// The bar at the top: project, time range, freshness, tables, commands.
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTables } from '../api/tables.ts'
import { Button } from '../design/button.tsx'
import { text } from '../text/strings.ts'
import { FreshnessChip } from './freshness-chip.tsx'
import { ProjectSwitch } from './project-switch.tsx'
import { RangePicker } from './range-picker.tsx'
import css from './top-bar.module.css'

const TablesSwitch = lazy(() => import('./tables-switch.tsx').then(module => ({ default: module.TablesSwitch })))

export function TopBar({ onCommands }: { readonly onCommands: () => void }) {
  const { projectId } = useParams({ strict: false })
  const { isChoice } = useTables()
  return (
    <header className={css['bar']}>
      <ProjectSwitch />
      {projectId !== undefined && <RangePicker />}
      <div className={css['end']}>
        {projectId !== undefined && <FreshnessChip />}
        {isChoice && (
          <Suspense>
            <TablesSwitch />
          </Suspense>
        )}
        <Button look="quiet" onClick={onCommands}>
          {text.shell.goTo} <kbd>Ctrl K</kbd>
        </Button>
      </div>
    </header>
  )
}

// The bar at the top: project, range of time, freshness, commands.
import { useParams } from '@tanstack/react-router'
import { Button } from '../design/button.tsx'
import { text } from '../text/strings.ts'
import { FreshnessChip } from './freshness-chip.tsx'
import { ProjectSwitch } from './project-switch.tsx'
import { RangePicker } from './range-picker.tsx'
import css from './top-bar.module.css'

export function TopBar({ onCommands }: { readonly onCommands: () => void }) {
  const { projectId } = useParams({ strict: false })
  return (
    <header className={css['bar']}>
      <ProjectSwitch />
      {projectId !== undefined && <RangePicker />}
      <div className={css['end']}>
        {projectId !== undefined && <FreshnessChip />}
        <Button look="quiet" onClick={onCommands}>
          {text.shell.goTo} <kbd>Ctrl K</kbd>
        </Button>
      </div>
    </header>
  )
}

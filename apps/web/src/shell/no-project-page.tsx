// The page of a signed-in user who has access to no project.
import { Empty } from '../design/states.tsx'
import { text } from '../text/strings.ts'

export function NoProjectPage() {
  return (
    <Empty title={text.shell.noProject}>
      <p>{text.shell.noProjectHelp}</p>
    </Empty>
  )
}

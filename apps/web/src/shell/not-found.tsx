// The page for an unknown address.

import { Link } from '@tanstack/react-router'
import { Empty } from '../design/states.tsx'
import { text } from '../text/strings.ts'

export function NotFound() {
  return (
    <Empty title={text.shell.notFound}>
      <Link to="/">{text.shell.toStart}</Link>
    </Empty>
  )
}

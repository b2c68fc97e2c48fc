// Jumps to a time: the range then ends one minute after this time.
import { type FormEvent, useState } from 'react'
import { Button, Field } from '../design/button.tsx'
import { Modal } from '../design/modal.tsx'
import type { TimeRange } from '../search/range.ts'
import { writeRange } from '../search/range.ts'
import { observationsText as text } from '../text/observations.ts'
import { fieldOf, readField } from '../text/wall.ts'
import { zoneName } from '../text/zone.ts'
import css from './table.module.css'

const minuteMs = 60_000

interface JumpProps {
  readonly range: TimeRange
  readonly onRange: (t: string) => void
  readonly onClose: () => void
}

export function JumpDialog({ range: { fromMs, toMs }, onRange, onClose }: JumpProps) {
  const [at, setAt] = useState(fieldOf(toMs))
  const ms = readField(at)
  function jump(event: FormEvent): void {
    event.preventDefault()
    const endMs = ms + minuteMs
    onRange(writeRange(endMs - (toMs - fromMs), endMs))
    onClose()
  }
  return (
    <Modal label={text.jump} onClose={onClose}>
      <form className={css['jump']} onSubmit={jump}>
        <Field label={text.jumpTo(zoneName())} type="datetime-local" value={at} required onChange={({ target }) => setAt(target.value)} />
        <Button type="submit" look="primary" disabled={Number.isNaN(ms)}>
          {text.jump}
        </Button>
      </form>
    </Modal>
  )
}

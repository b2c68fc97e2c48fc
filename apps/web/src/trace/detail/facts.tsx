// Sections of the detail panel.
import type { ReactNode } from 'react'
import { fieldChoices } from '../../filter/choices.ts'
import { Value } from '../../filter/value.tsx'
import css from './detail.module.css'

interface SectionProps {
  readonly title: string
  readonly note?: string | undefined
  readonly children: ReactNode
}

export function Section({ title, note, children }: SectionProps) {
  return (
    <section className={css['section']} aria-label={title}>
      <h3>
        {title}
        {note !== undefined && <span className={css['note']}> {note}</span>}
      </h3>
      {children}
    </section>
  )
}

/** `column` is the value's column in the filter API. */
export type Fact = readonly [name: string, value: string | null, column?: string | undefined]

interface FactsProps {
  readonly title: string
  /** Facts without a value are not shown. */
  readonly facts: readonly Fact[]
}

export function Facts({ title, facts }: FactsProps) {
  const shown = facts.filter(([, value]) => value !== null && value !== '')
  if (shown.length === 0) return null
  return (
    <Section title={title}>
      <dl className={css['list']}>
        {shown.map(([name, value, column]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">
              {column === undefined || value === null ? value : <Value choices={fieldChoices(column, value)} title={name} value={value} />}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

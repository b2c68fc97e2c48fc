// Shows the tools that were offered to the model, and the tools that the model called.
import { traceText } from '../../text/trace.ts'
import { JsonValue } from '../json/json-value.tsx'
import type { Detail } from '../load.ts'
import css from './detail.module.css'
import { Section } from './facts.tsx'

export function Tools({ of: { toolDefinitions, toolCallNames } }: { readonly of: Detail }) {
  if (toolDefinitions.length === 0 && toolCallNames.length === 0) return null
  const called = new Set(toolCallNames)
  const offered = new Set(toolDefinitions.map(({ name }) => name))
  return (
    <Section title={traceText.detail.tools}>
      <ul className={css['tools']}>
        {toolDefinitions.map(({ name, definition }) => (
          <li key={name}>
            <details>
              <summary>
                <bdi>{name}</bdi> {called.has(name) && <span className={css['note']}>called</span>}
              </summary>
              <JsonValue text={definition} label={name} />
            </details>
          </li>
        ))}
        {[...called]
          .filter(name => !offered.has(name))
          .map(name => (
            <li key={`called ${name}`}>
              <bdi>{name}</bdi> <span className={css['note']}>called</span>
            </li>
          ))}
      </ul>
    </Section>
  )
}

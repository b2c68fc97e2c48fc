// Metadata keys and values of an observation, with menus.
import { keyChoices, leafChoices } from '../../filter/choices.ts'
import { Value } from '../../filter/value.tsx'
import { traceText } from '../../text/trace.ts'
import type { Detail } from '../load.ts'
import css from './detail.module.css'

const nullType = 4

interface LeavesProps {
  readonly of: Detail
  /** If true, each key and each value has a filter menu. */
  readonly isFilter: boolean
}

export function Leaves({ of, isFilter }: LeavesProps) {
  return (
    <dl className={css['list']}>
      {of.metadata.map(leaf => {
        const { name, type, length } = leaf
        const text = type === nullType ? 'null' : leaf.text
        const isCut = length > leaf.text.length
        return (
          <div key={name}>
            <dt>
              {isFilter ? (
                <Value choices={keyChoices(name)} title={name} value={name}>
                  <bdi>{name}</bdi>
                </Value>
              ) : (
                <bdi>{name}</bdi>
              )}
            </dt>
            <dd data-type={type} dir="auto">
              {isFilter ? (
                <Value choices={leafChoices(name, leaf, isCut)} title={name} value={isCut ? undefined : text}>
                  {text}
                </Value>
              ) : (
                text
              )}
              {isCut && <span className={css['note']}> {traceText.detail.leafCut(length)}</span>}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

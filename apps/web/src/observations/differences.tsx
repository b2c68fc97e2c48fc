// Shows the values whose share differs most between the selected part of the time range and the rest.
import { useQuery } from '@tanstack/react-query'
import { call, type ResultOf } from '../api/client.ts'
import { Button } from '../design/button.tsx'
import { Failed, Loading } from '../design/states.tsx'
import type { FilterCondition } from '../filter/condition.ts'
import { fieldOfColumn } from '../filter/fields.ts'
import { termOf } from '../filter/write.ts'
import type { TimeRange } from '../search/range.ts'
import { observationsText as text } from '../text/observations.ts'
import { count, percent } from '../text/units.ts'
import css from './differences.module.css'

const fields = [
  ...(['model', 'name', 'promptName', 'promptVersion', 'release', 'version', 'level', 'statusMessage'] as const),
  ...(['environment', 'type', 'traceName', 'traceTags', 'userId'] as const),
]
const mostOfAField = 5
const mostShown = 14

interface DifferencesProps {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  readonly range: TimeRange
  readonly part: TimeRange
  readonly onTerm: (term: string) => void
}

interface Difference {
  readonly field: string
  readonly value: string
  /** The fraction of the rows in the selected part that have this value. */
  readonly inPart: number
  readonly inRest: number
}

function differencesOf({ rows, partRows, facets }: ResultOf<'webRows.facets'>): readonly Difference[] {
  const [ofPart, ofRest] = [Math.max(1, partRows), Math.max(1, rows - partRows)]
  return facets
    .flatMap(({ field, values }) =>
      values.map(({ value, count: all, partCount }) => ({
        ...{ field, value },
        ...{ inPart: partCount / ofPart, inRest: (all - partCount) / ofRest },
      })),
    )
    .filter(({ inPart, inRest }) => Math.abs(inPart - inRest) >= 0.005)
    .toSorted((a, b) => Math.abs(b.inPart - b.inRest) - Math.abs(a.inPart - a.inRest))
    .slice(0, mostShown)
}

function conditionOf({ field: column, value }: Difference, isNot: boolean): FilterCondition {
  if (column === 'traceTags') return { type: 'arrayOptions', column, operator: isNot ? 'none of' : 'any of', value: [value] }
  if (isNot) return { type: 'stringOptions', column, operator: 'none of', value: [value] }
  return column === 'promptVersion'
    ? { type: 'number', column, operator: '=', value: Number(value) }
    : { type: 'string', column, operator: '=', value }
}

export function Differences({ project, conditions, range, part, onTerm }: DifferencesProps) {
  const filter = JSON.stringify(conditions)
  const iso = (ms: number) => new Date(ms).toISOString()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['differences', project, filter, range.fromMs, range.toMs, part.fromMs, part.toMs],
    queryFn: ({ signal }) =>
      call('webRows.facets', {
        project,
        query: {
          ...{ fields: fields.join(','), limit: mostOfAField, filter, fromStartTime: iso(range.fromMs), toStartTime: iso(range.toMs) },
          ...{ partFrom: iso(part.fromMs), partTo: iso(part.toMs) },
        },
        signal,
      }),
  })
  const found = data && differencesOf(data)
  return (
    <section className={css['differences']} aria-label={text.differs}>
      {isPending && <Loading rows={4} />}
      {error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data && <p className={css['help']}>{text.differsHelp(count(data.partRows), count(data.rows - data.partRows))}</p>}
      {found?.length === 0 && <p>{text.differsNothing}</p>}
      <ul className={css['list']}>
        {found?.map(each => (
          <Line key={`${each.field} ${each.value}`} of={each} onTerm={onTerm} />
        ))}
      </ul>
    </section>
  )
}

function Line({ of, onTerm }: { readonly of: Difference; readonly onTerm: (term: string) => void }) {
  const name = fieldOfColumn(of.field)?.name ?? of.field
  const only = termOf(conditionOf(of, false))
  // A prompt version is a number, and a filter cannot exclude a number.
  const not = of.field === 'promptVersion' ? undefined : termOf(conditionOf(of, true))
  return (
    <li className={css['line']}>
      <span className={css['value']} title={of.value}>
        <span className={css['field']}>{name}</span> {of.value}
      </span>
      <span className={css['bars']} aria-hidden="true">
        <span className={css['inPart']} style={{ width: `${of.inPart * 100}%` }} />
        <span className={css['inRest']} style={{ width: `${of.inRest * 100}%` }} />
      </span>
      <span className={css['shares']}>{text.differsShares(percent(of.inPart), percent(of.inRest))}</span>
      <span className={css['actions']}>
        {only !== undefined && (
          <Button look="quiet" title={only} onClick={() => onTerm(only)}>
            {text.onlyShort}
          </Button>
        )}
        {not !== undefined && (
          <Button look="quiet" title={not} onClick={() => onTerm(not)}>
            {text.notShort}
          </Button>
        )}
      </span>
    </li>
  )
}

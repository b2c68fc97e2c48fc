// Splits the text of the filter bar into conditions that the tables of v3 can answer, and terms that they cannot.
import type { FilterCondition } from '../filter/condition.ts'
import { parseFilter } from '../filter/parse.ts'

/** Columns by which the legacy API filters observations (contract §20.4). */
export const oldColumns: ReadonlySet<string> = new Set([
  ...['id', 'type', 'name', 'traceId', 'parentObservationId', 'startTime', 'endTime', 'environment', 'level', 'statusMessage', 'version'],
  ...['latency', 'timeToFirstToken', 'tokensPerSecond', 'inputTokens', 'outputTokens', 'totalTokens', 'inputCost', 'outputCost'],
  ...['totalCost', 'model', 'promptName', 'promptVersion', 'metadata', 'userId', 'traceName', 'traceTags'],
])

const operatorsOfNew: ReadonlySet<string> = new Set(['matches', 'is set', 'is not set'])

const isOld = ({ type, column, operator }: FilterCondition): boolean =>
  oldColumns.has(column) && type !== 'null' && !operatorsOfNew.has(operator)

export interface OldFilter {
  readonly conditions: readonly FilterCondition[]
  /** Terms that are not applied, as the user wrote them. */
  readonly setAside: readonly string[]
}

/** Returns undefined while the text is not a valid filter. */
export function oldFilterOf(text: string): OldFilter | undefined {
  const parsed = parseFilter(text)
  if (!parsed.ok) return undefined
  const conditions: FilterCondition[] = []
  const setAside: string[] = []
  for (const { from, to } of parsed.terms) {
    const term = text.slice(from, to)
    const own = parseFilter(term)
    if (!own.ok || !own.conditions.every(isOld)) setAside.push(term)
    else for (const condition of own.conditions) conditions.push(condition)
  }
  return { conditions, setAside }
}

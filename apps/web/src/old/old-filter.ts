// Splits the text of the filter bar into conditions for the tables of v3, and terms by which these tables cannot be filtered.
import type { FilterCondition } from '../filter/condition.ts'
import { parseFilter } from '../filter/parse.ts'

/** Observation columns that the legacy API can filter by (contract §20.4). */
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
  /** Terms by which the tables of v3 cannot be filtered. Each term has the text that the user typed. */
  readonly setAside: readonly string[]
}

/** Returns undefined if the text is invalid. */
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

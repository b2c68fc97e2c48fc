// Filters of evaluation rules. Such a filter can use only the fields that an observation has when it arrives (contract §18.9).
import type { ColumnStore } from '@svc-server/column-store/port'
import { observationFields } from '../fields/catalog.ts'
import { e, eventsCore, eventsFull } from '../fields/events.ts'
import type { FilterField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import { filterOf } from '../filter/read.ts'
import { filterColumns } from '../filter/resolve.ts'
import { conditionSql, isExactOnCore } from '../filter/sql.ts'
import { numberField } from '../sql/field.ts'
import { type Bounds, deadlineIn } from '../sql/scope.ts'
import { newestIn, read, select } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'

const ofScores: readonly FilterField['kind'][] = ['scoreAverage', 'scoreCategories', 'scoreBooleans']
/** Rules cannot use scores, because scores arrive after their observation. */
const fields = observationFields
  .filter(({ kind }) => !ofScores.includes(kind))
  .map(field => (field.id === 'experimentDatasetId' ? { ...field, also: ['datasetId'] } : field))
const columns = filterColumns(fields)

/**
 * A condition that the grammar has not checked yet. A condition can have more members than these two, and the grammar checks all members.
 */
interface Written {
  readonly type: string
  readonly operator: string
}

/** Replaces `=` on a time with "not before" and "not after", because the grammar has no `=` for times. */
const withoutEqualTimes = (condition: Written): readonly Written[] =>
  condition.type === 'datetime' && condition.operator === '=' ? ['>=', '<='].map(operator => ({ ...condition, operator })) : [condition]

/** Throws InvalidQuery for an invalid filter, an unknown column, or an unsupported comparison. */
export const readRuleFilter = (filter: readonly Written[]): readonly Condition[] => filterOf(filter.flatMap(withoutEqualTimes), columns)

export interface CountOptions {
  readonly projectId: string
  readonly conditions: readonly Condition[]
  /** Milliseconds since the epoch. `toMs` is exclusive. */
  readonly fromMs: number
  readonly toMs: number
  readonly signal: AbortSignal | undefined
}

/** Throws a `column_store_*` error, or the abort signal's reason. */
export async function countObservations(columnStore: Pick<ColumnStore, 'query'>, options: CountOptions): Promise<number> {
  const { projectId, conditions, fromMs, toMs, signal } = options
  const isWhole = !conditions.every(isExactOnCore)
  const scope = { project: projectId, time: { from: BigInt(fromMs) * 1000n, to: BigInt(toMs) * 1000n } }
  const where = [sql`${e.is_deleted.sql} = 0`, ...conditions.map(each => conditionSql(each, { project: projectId, cut: !isWhole }))]
  const counting = select(newestIn(isWhole ? eventsFull : eventsCore, scope), { count: numberField(sql`count()`) }, { where })
  const limits = { rows: 1, memoryBytes: 2 ** 29, readBytes: 2 ** 36 }
  const bounds: Bounds = { limits, deadline: deadlineIn(5, 'a count of observations'), signal, comment: 'rules.count' }
  const [row] = await read(columnStore, counting, bounds)
  return row?.count ?? 0
}

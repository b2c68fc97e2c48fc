// Looks up the rows from several partitions of the log in one query, because the tables store these rows next to each other. Adding a
// thousand keys to a query costs less than an additional query.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denials } from '@svc-server/deletions/denials'
import { isRetryable } from '@svc-server/errors'
import type { RowVersion } from '../presence/key.ts'
import { type AuditedTable, absentIn } from './audited-tables.ts'
import type { Absent } from './missing.ts'
import type { Pace } from './pace.ts'

/**
 * Approximate number of items per step, and of rows per query. If items of a step are missing, the audit rechecks all records from the
 * first to the last record with missing items.
 */
export const itemsPerStep = 16_384

export interface Items {
  readonly absent: Absent[]
  /** Absent because they were deleted. */
  denied: number
  /** Error of a failed query. After such an error, it is unknown which items are absent. */
  failure: unknown
}

interface Wanted {
  readonly items: Items
  readonly offset: number
  readonly index: number
  readonly version: RowVersion
  readonly tables: readonly AuditedTable[]
  readonly traceId: string
  /** The name of the item, for the report. Null if the report can name the item by the keys of its row. */
  readonly name: string | null
}

export interface Question {
  readonly size: number
  add(wanted: Wanted): void
  /** Never rejects. If the query fails, `judgeStep` later rejects with the query's error. */
  ask(): Promise<void>
}

export interface QuestionDeps {
  readonly columnStore: ColumnStore
  readonly pace: Pace
  /** The deleted traces and projects. Their items may be absent from the tables. */
  readonly denials: Denials
}

export function createQuestion({ columnStore, pace, denials }: QuestionDeps): Question {
  let gathered: Wanted[] = []
  return {
    get size() {
      return gathered.length
    },
    add(wanted) {
      gathered.push(wanted)
    },
    async ask() {
      const asked = gathered
      gathered = []
      await settle(asked)
    },
  }

  async function settle(asked: readonly Wanted[]): Promise<void> {
    if (asked.length === 0) return
    try {
      for (const { items, offset, index, version, traceId, table, name } of await pace.after(() => absentOf(columnStore, asked))) {
        const { projectId, spanId, startTimeUs } = version
        const example = name ?? `${projectId}/${version.traceId}/${spanId}`
        if (denials.concerns(projectId) && denials.denies(projectId, traceId, startTimeUs)) items.denied += 1
        else items.absent.push({ table, offset, index, count: 1, example })
      }
    } catch (error) {
      const steps = Map.groupBy(asked, ({ items }) => items)
      // A query can contain rows of several steps. If a retry cannot help, the rows of a single step may have caused the error. In this
      // case, each step is queried separately.
      if (steps.size > 1 && !isRetryable(error)) for (const ofStep of steps.values()) await settle(ofStep)
      else for (const items of steps.keys()) items.failure = error
    }
  }
}

interface AbsentRow extends Wanted {
  readonly table: string
}

/** An item with several absent rows counts once. */
async function absentOf(columnStore: ColumnStore, asked: readonly Wanted[]): Promise<readonly AbsentRow[]> {
  const found = new Map<Items, Map<string, AbsentRow>>()
  for (const table of new Set(asked.flatMap(({ tables }) => tables))) {
    const mine = asked.filter(({ tables }) => tables.includes(table))
    const versions = mine.map(({ version }) => version)
    for (const at of await absentIn(columnStore, table, versions, { maxThreads: 1 })) {
      const wanted = mine[at]!
      const ofStep = found.get(wanted.items) ?? new Map<string, AbsentRow>()
      found.set(wanted.items, ofStep)
      const item = `${wanted.offset}#${wanted.index}`
      if (!ofStep.has(item)) ofStep.set(item, { ...wanted, table: table.name })
    }
  }
  return [...found.values()].flatMap(rows => [...rows.values()])
}

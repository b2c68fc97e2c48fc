// Looks up the rows of several partitions in one query. Looks up several partitions at once: the tables store their rows next to each
// other, so a query per partition would also read the data between its rows. An additional query also costs more than a thousand further
// keys in the same query.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denials } from '@svc-server/deletions/denials'
import { isRetryable } from '@svc-server/errors'
import type { RowVersion } from '../presence/key.ts'
import { type AuditedTable, absentIn } from './audited-tables.ts'
import type { Absent } from './missing.ts'
import type { Pace } from './pace.ts'

/** Approximate number of items per step, and of rows per query. The audit rechecks a range with missing items as a whole. */
export const itemsPerStep = 16_384

/** The results of the queries for the items of a step. */
export interface Items {
  readonly absent: Absent[]
  /** Number of absent items that were deleted. */
  denied: number
  /** The error of a failed query. After a failed query, this process does not know which of the query's items are absent. */
  failure: unknown
}

/** A row of an item to look up. */
interface Wanted {
  /** The audit step's items to which the row belongs. */
  readonly items: Items
  readonly offset: number
  readonly index: number
  readonly version: RowVersion
  readonly tables: readonly AuditedTable[]
  readonly traceId: string
  /** The name of the item; null if it equals the name of the row. */
  readonly name: string | null
}

export interface Question {
  /** Number of rows that have not been queried yet. */
  readonly size: number
  add(wanted: Wanted): void
  /**
   * Queries the rows and records the results for the steps to which they belong. Never rejects: judging the step throws the error of a
   * failed query.
   */
  ask(): Promise<void>
}

export interface QuestionDeps {
  readonly columnStore: ColumnStore
  readonly pace: Pace
  /** Deleted traces and projects, whose items are allowed to be absent from the tables. */
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
      // If a query of several steps fails, queries each step separately, so that one step's rows do not make the other steps fail.
      if (steps.size > 1 && !isRetryable(error)) for (const ofStep of steps.values()) await settle(ofStep)
      else for (const items of steps.keys()) items.failure = error
    }
  }
}

interface AbsentRow extends Wanted {
  readonly table: string
}

/** An item with several absent rows, or with a row that is absent from several tables, is counted as one absent item. */
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

// Which of many rows are absent, asked for all together: of one partition after the other, a question would read what lies between its rows again and
// again. Rows of all partitions lie beside each other in the tables, and a query costs more than a thousand keys in it.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denials } from '@svc-server/deletions/denials'
import { isRetryable } from '@svc-server/errors'
import type { RowVersion } from '../presence/key.ts'
import { type AuditedTable, absentIn } from './audited-tables.ts'
import type { Absent } from './missing.ts'
import type { Pace } from './pace.ts'

/** Items of one step, and rows of one question, about: what is missing is looked at again as a whole. */
export const itemsPerStep = 16_384

/** What became of the items of a step. */
export interface Items {
  readonly absent: Absent[]
  /** Of what is absent, what was deleted. */
  denied: number
  /** What failed when some of them were asked for: nothing is known of them. */
  failure: unknown
}

/** A row of an item, that is looked for. */
interface Wanted {
  /** Of its step. */
  readonly items: Items
  readonly offset: number
  readonly index: number
  readonly version: RowVersion
  readonly tables: readonly AuditedTable[]
  readonly traceId: string
  /** Of the item; null: that of its row. */
  readonly name: string | null
}

export interface Question {
  /** Rows that were not asked for yet. */
  readonly size: number
  add(wanted: Wanted): void
  /** Asks for them, and tells their steps' items. Never rejects: who judges a step throws what failed. */
  ask(): Promise<void>
}

export interface QuestionDeps {
  readonly columnStore: ColumnStore
  readonly pace: Pace
  /** What was deleted: it may be gone from the tables, and is not missing. */
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
      // What cannot be asked for one of them must not hold up the others.
      if (steps.size > 1 && !isRetryable(error)) for (const ofStep of steps.values()) await settle(ofStep)
      else for (const items of steps.keys()) items.failure = error
    }
  }
}

interface AbsentRow extends Wanted {
  readonly table: string
}

/** An item that lacks several rows, or one in several tables, is one item that is absent. */
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

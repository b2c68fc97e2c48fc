// Sets bookmarks and public flags in both events tables, because the view between these tables processes only inserts. A repeated call
// changes nothing.

import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Flag } from '@svc-server/deletions/flags'
import { inBatches, rowsOf } from './statements.ts'

export interface FlagRows {
  /** The list must not contain the same flag of a trace twice. Rejects with column_store_*. */
  set(flags: readonly Flag[]): Promise<void>
}

type Store = Pick<ColumnStore, 'query' | 'update'>

const tables = ['events_full', 'events_core'] as const
/** A bookmark is stored only in the rows of root observations. The public flag is stored in every row. */
const concerned = { bookmarked: " AND parent_span_id = ''", public: '' } as const

interface Extent {
  readonly rows: string
  readonly first: string
  readonly last: string
}

/** Changes only the events tables, because a trace's row in the v3 table is merged from parts that already contain the flags. */
export function createFlagRows(columnStore: Store): FlagRows {
  /** First queries which rows must change, because a mutation is expensive even if it changes no row. */
  async function setIn(table: string, { name, value }: Flag, batch: readonly Flag[]): Promise<void> {
    const where = `${rowsOf({ trace: 'trace_id' }, batch)}${concerned[name]} AND ${name} != ${value}`
    const [extent] = await columnStore.query<Extent>(
      `SELECT count() AS rows, toString(min(start_time)) AS first, toString(max(start_time)) AS last FROM ${table} WHERE ${where}`,
    )
    if (extent === undefined || extent.rows === '0') return
    const within = `start_time >= ${literal(extent.first)} AND start_time <= ${literal(extent.last)}`
    await columnStore.update({ table, set: `${name} = ${value}`, where: `${where} AND ${within}` })
  }

  return {
    async set(flags) {
      const alike = Map.groupBy(flags, ({ name, value }) => `${name} ${value}`)
      for (const same of alike.values()) {
        for (const batch of inBatches(same)) for (const table of tables) await setIn(table, same[0]!, batch)
      }
    },
  }
}

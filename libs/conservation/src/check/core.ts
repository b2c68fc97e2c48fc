// Checks that both events tables show the same rows. The check compares keys and versions, because a missing row and a surplus row would
// cancel out in a count. For each slice (a range of offsets), the check first compares the number of rows, and a hash of the keys and
// versions. Only slices in which one of these values differs are compared key by key. The check ignores deleted traces, because a deletion
// first affects one table and then the other.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denials } from '@svc-server/deletions/denials'
import { offsetOfRow, paramsOf, type RowsRange, within } from './rows.ts'

export interface TablesCompared {
  /** Number of rows in the range that a query of events_full with FINAL returns. */
  readonly full: number
  readonly core: number
  readonly differences: readonly CoreDifference[]
}

interface CoreDifference {
  /** Inclusive. */
  readonly first: number
  readonly last: number
  readonly spans: number
  readonly example?: string
}

type Table = 'events_full' | 'events_core'

interface SliceRow {
  readonly name: Table
  readonly slice: string
  readonly n: string
  readonly print: string
}

interface KeyRow {
  readonly key: string
  readonly project_id: string
  readonly trace_id: string
  readonly span_id: string
  readonly start_us: string
  readonly offset: string
  readonly version: string
}

/** The key is a list of columns and not one text, because ids can contain any separator. */
const key = 'project_id, trace_id, span_id, toUnixTimestamp64Micro(start_time)'
/**
 * Maximum number of differing slices that the check compares key by key in one round. The first round that finds keys that differ is the
 * last round. The check then reports each remaining differing slice as a whole. If more slices than this maximum differ, either the tables
 * differ completely, or a deletion is in progress.
 */
const maxOpened = 100

const sliceOf = `intDiv(${offsetOfRow} - {from:UInt64}, {size:UInt64})`
const prints = (table: Table) => `
  SELECT '${table}' AS name, ${sliceOf} AS slice, count() AS n, groupBitXor(cityHash64(${key}, event_ts)) AS print
  FROM ${table} FINAL WHERE ${within} GROUP BY slice`

/** `size`: offsets per slice. Rejects with a column_store_* AppError. */
export async function compareTables(
  columnStore: ColumnStore,
  denials: Pick<Denials, 'concerns' | 'denies'>,
  range: RowsRange,
  size: number,
): Promise<TablesCompared> {
  const rows = await columnStore.query<SliceRow>(`${prints('events_full')} UNION ALL ${prints('events_core')}`, {
    ...paramsOf(range),
    size,
  })
  const slicesOf = (table: Table) => new Map(rows.filter(({ name }) => name === table).map(row => [Number(row.slice), row]))
  const full = slicesOf('events_full')
  const core = slicesOf('events_core')
  const different = [...new Set([...full.keys(), ...core.keys()])]
    .filter(slice => full.get(slice)?.n !== core.get(slice)?.n || full.get(slice)?.print !== core.get(slice)?.print)
    .sort((a, b) => a - b)
  let differences: readonly CoreDifference[] = []
  let opened = 0
  for (; opened < different.length && differences.length === 0; opened += maxOpened) {
    differences = await compareKeys(columnStore, denials, range, size, different.slice(opened, opened + maxOpened))
  }
  const closed = different.slice(opened).map(slice => ({
    first: range.from + slice * size,
    last: Math.min(range.until, range.from + (slice + 1) * size) - 1,
    spans: Math.max(1, Math.abs(Number(full.get(slice)?.n ?? 0) - Number(core.get(slice)?.n ?? 0))),
  }))
  const total = (slices: ReadonlyMap<number, SliceRow>) => [...slices.values()].reduce((sum, { n }) => sum + Number(n), 0)
  return {
    full: total(full),
    core: total(core),
    differences: [...differences, ...closed],
  }
}

/** A key with different versions counts once. */
async function compareKeys(
  columnStore: ColumnStore,
  denials: Pick<Denials, 'concerns' | 'denies'>,
  range: RowsRange,
  size: number,
  slices: readonly number[],
): Promise<readonly CoreDifference[]> {
  const rowsOf = async (table: Table) => {
    const rows = await columnStore.query<KeyRow>(
      `SELECT toString((${key})) AS key, project_id, trace_id, span_id, toUnixTimestamp64Micro(start_time) AS start_us, ${offsetOfRow} AS offset, toUnixTimestamp64Micro(event_ts) AS version
       FROM ${table} FINAL WHERE ${within} AND ${sliceOf} IN {slices:Array(UInt64)}`,
      { ...paramsOf(range), size, slices },
    )
    return new Map(rows.map(row => [row.key, row]))
  }
  const full = await rowsOf('events_full')
  const core = await rowsOf('events_core')
  const isDenied = ({ project_id, trace_id, start_us }: KeyRow) =>
    denials.concerns(project_id) && denials.denies(project_id, trace_id, Number(start_us))
  return [...new Set([...full.keys(), ...core.keys()])]
    .filter(name => full.get(name)?.version !== core.get(name)?.version)
    .map(name => ({ name, row: full.get(name) ?? core.get(name)! }))
    .filter(({ row }) => !isDenied(row))
    .map(({ row: { offset, ...row } }) => ({ offset: Number(offset), example: `${row.project_id}/${row.trace_id}/${row.span_id}` }))
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, example }) => ({ first: offset, last: offset, spans: 1, example }))
}

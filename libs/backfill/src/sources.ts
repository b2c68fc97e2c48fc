// The tables whose rows are divided into chunks.
import { literal } from '@svc-server/column-store/literal'
import type { Chunk, KeyReader } from './chunks.ts'
import { inRange, type KeyColumn } from './key-range.ts'
import { monthsOf } from './months.ts'
import { scratchNames } from './scratch.ts'
import { behindOthers, type Session } from './session.ts'

export interface Source {
  readonly table: string
  /** SQL expression that gives the month (the partition) of a row. */
  readonly month: string
  /** Sorting key. */
  readonly key: readonly KeyColumn[]
  /** SQL expression that gives the size of a row in bytes. */
  readonly bytes: string
  /** Restricts the source to one project. */
  readonly projectId?: string
  /**
   * An additional SQL condition on the rows. If there is a condition, the backfill runs a query to find the months with rows that meet the
   * condition. Otherwise, the backfill takes the months from the list of the table's parts.
   */
  readonly only?: string
}

const text = (sql: string): KeyColumn => ({ sql, type: 'String' })
const day = (sql: string): KeyColumn => ({ sql: `toDate(${sql})`, type: 'Date' })

/** Estimated size of a row without its large texts, in bytes. */
const smallBytes = 400
const ioBytes = `${smallBytes} + length(ifNull(input, '')) + length(ifNull(output, ''))`

export const tracesSource: Source = {
  table: 'traces',
  month: 'toYYYYMM(timestamp)',
  key: [text('project_id'), day('timestamp'), text('id')],
  bytes: ioBytes,
}

export const observationsSource: Source = {
  table: 'observations',
  month: 'toYYYYMM(start_time)',
  key: [text('project_id'), text('type'), day('start_time'), text('id')],
  bytes: ioBytes,
}

export const sortedSource: Source = {
  table: scratchNames.observations,
  month: 'toYYYYMM(start_time)',
  key: [text('project_id'), text('trace_id'), text('id')],
  bytes: ioBytes,
}

/** In the sources below, a row stands for all spans of a trace. The backfill assumes that a trace has this number of spans. */
const spansOfTrace = 50

export const experimentsSource: Source = {
  table: scratchNames.experiments,
  month: 'toYYYYMM(created_at)',
  key: [text('project_id'), text('trace_id')],
  bytes: `${smallBytes * spansOfTrace}`,
}

export const changedSource: Source = {
  table: scratchNames.changed,
  month: 'month',
  key: [text('project_id'), text('trace_id')],
  bytes: `${smallBytes * spansOfTrace}`,
}

export const proofItemsSource: Source = { ...changedSource, table: scratchNames.proofItems }

export const rowsIn = ({ month, key, ...source }: Source, chunk: Chunk): string =>
  `${month} = ${chunk.month} AND ${source.only ?? '1'} AND ${ofProject(source)} AND ${inRange(key, chunk)}`

export const ofProject = ({ projectId }: Pick<Source, 'projectId'>): string =>
  projectId === undefined ? '1' : `project_id = ${literal(projectId)}`

const sampleRows = 500
const ofPlanning = `${behindOthers}, max_threads = 1, optimize_read_in_order = 1`

export function readKeys({ dialect, query }: Session, source: Source): KeyReader & { months(): Promise<readonly number[]> } {
  const table = dialect.table(source.table)
  const names = source.key.map(({ sql }) => sql).join(', ')
  return {
    async keyAt(chunk, offset) {
      const [row] = await query<{ key: string[] }>(
        `SELECT [${source.key.map(({ sql }) => `toString(${sql})`).join(', ')}] AS key FROM ${table} WHERE ${rowsIn(source, chunk)}
         ORDER BY ${names} LIMIT 1 OFFSET ${offset} SETTINGS ${ofPlanning}`,
      )
      return row?.key ?? null
    },
    async bytesPerRow(chunk) {
      const [row] = await query<{ bytes: number | null }>(
        `SELECT avg(bytes) AS bytes FROM (SELECT ${source.bytes} AS bytes FROM ${table} WHERE ${rowsIn(source, chunk)}
         ORDER BY ${names} LIMIT ${sampleRows}) SETTINGS ${ofPlanning}`,
      )
      return Number(row?.bytes ?? 0) || 0
    },
    async rows(chunk) {
      const [row] = await query<{ rows: string }>(`SELECT count() AS rows FROM ${table} WHERE ${rowsIn(source, chunk)}`)
      return Number(row!.rows)
    },
    async months() {
      if (source.only === undefined) return monthsOf({ query }, source.table)
      const rows = await query<{ month: string }>(`SELECT DISTINCT toString(${source.month}) AS month FROM ${table} WHERE ${source.only}`)
      return rows.map(({ month }) => Number(month))
    },
  }
}

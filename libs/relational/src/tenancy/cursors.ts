// Lists with cursors are ordered by creation time and id, newest first.
import { AppError } from '@svc-server/errors'
import { parseStoredJson } from '@svc-server/json'
import type { SelectQueryBuilder } from 'kysely'
import { canBeId } from './ids.ts'
import { sql } from './sql.ts'

export interface CursorPage {
  readonly limit: number
  readonly cursor?: string | undefined
}

export interface CursorPageOf<Row> {
  readonly rows: readonly Row[]
  /** Absent on the last page. */
  readonly cursor?: string
}

interface Key {
  readonly created_at: Date
  readonly id: string
}

const cursorOf = ({ created_at, id }: Key): string => Buffer.from(JSON.stringify([created_at.getTime(), id])).toString('base64url')

function keyOf(cursor: string): readonly [ms: number, id: string] {
  const invalid = (cause?: unknown) => new AppError('bad_request', 'Invalid cursor format', { parameter: 'cursor' }, { cause })
  let key: unknown
  try {
    key = parseStoredJson(Buffer.from(cursor, 'base64url').toString())
  } catch (error) {
    throw invalid(error)
  }
  const [ms, id] = Array.isArray(key) ? (key as unknown[]) : []
  if (typeof ms !== 'number' || Number.isNaN(new Date(ms).getTime()) || typeof id !== 'string' || !canBeId(id)) throw invalid()
  return [ms, id]
}

/** The query must select `created_at` and `id` of its table and must not be ordered. Throws `bad_request` for an invalid cursor. */
export async function cursorPageOf<DB, T extends keyof DB & string, Row extends Key>(
  query: SelectQueryBuilder<DB, T, Row>,
  table: T,
  { limit, cursor }: CursorPage,
): Promise<CursorPageOf<Row>> {
  // The time is truncated to milliseconds, because a Date cannot represent the microseconds of the column's default.
  const key = sql`(date_trunc('milliseconds', ${sql.ref(`${table}.created_at`)}), ${sql.ref(`${table}.id`)})`
  const position = cursor === undefined ? undefined : keyOf(cursor)
  let ordered = query
  if (position !== undefined) ordered = ordered.where(sql<boolean>`${key} < (${new Date(position[0])}, ${position[1]})`)
  const rows = await ordered
    .orderBy(sql`${key} desc`)
    .limit(limit + 1)
    .execute()
  if (rows.length <= limit) return { rows }
  const page = rows.slice(0, limit)
  return { rows: page, cursor: cursorOf(page.at(-1)!) }
}

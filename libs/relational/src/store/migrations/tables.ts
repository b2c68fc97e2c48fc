// Creates a table. If v3 has already created the table, adds only the missing columns, because the tables of older v3 releases have fewer
// columns. Existing columns never change.
import { type Kysely, sql } from 'kysely'

export interface TableShape {
  readonly name: string
  /** Definitions by name. */
  readonly columns: Readonly<Record<string, string>>
  /** Constraints with the names that v3 gives them. */
  readonly constraints?: readonly string[]
  /** Complete SQL statements that create indexes: `create … index if not exists`. */
  readonly indexes?: readonly string[]
}

export const projectColumns = {
  id: 'text not null',
  created_at: 'timestamptz not null default now()',
  updated_at: 'timestamptz not null default now()',
  project_id: 'text not null references projects (id) on delete cascade',
}

/** A column that is added to a table with rows must be nullable or have a default. */
const canBeAdded = (definition: string) => !definition.includes('not null') || definition.includes('default')

export async function ensureTable(db: Kysely<unknown>, { name, columns, constraints = [], indexes = [] }: TableShape): Promise<void> {
  const all = [...Object.entries(columns).map(([column, definition]) => `${column} ${definition}`), ...constraints]
  await sql.raw(`create table if not exists ${name} (${all.join(', ')})`).execute(db)
  const added = Object.entries(columns).filter(([, definition]) => canBeAdded(definition))
  const list = added.map(([column, definition]) => `add column if not exists ${column} ${definition}`)
  if (list.length > 0) await sql.raw(`alter table ${name} ${list.join(', ')}`).execute(db)
  for (const index of indexes) await sql.raw(index).execute(db)
}

/** In a v3 database, the tables belong to v3 and contain its data. */
export const noWayBack = async (): Promise<void> => {
  throw new Error('This migration cannot be reverted, because the tables can belong to v3 and contain its data.')
}

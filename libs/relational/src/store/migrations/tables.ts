// Tables that v3 may have made, in its older releases with fewer columns: created where they are not there, and completed where
// they are. What is there is never changed.
import { type Kysely, sql } from 'kysely'

export interface TableShape {
  readonly name: string
  /** Definitions by column. */
  readonly columns: Readonly<Record<string, string>>
  /** Constraints with v3's names. */
  readonly constraints?: readonly string[]
  /** `create … index if not exists` of each. */
  readonly indexes?: readonly string[]
}

/** Of every table of a project's rows. */
export const projectColumns = {
  id: 'text not null',
  created_at: 'timestamptz not null default now()',
  updated_at: 'timestamptz not null default now()',
  project_id: 'text not null references projects (id) on delete cascade',
}

/** A column that older releases lack can be added to rows: it may be null, or has a default. */
const canBeAdded = (definition: string) => !definition.includes('not null') || definition.includes('default')

export async function ensureTable(db: Kysely<unknown>, { name, columns, constraints = [], indexes = [] }: TableShape): Promise<void> {
  const all = [...Object.entries(columns).map(([column, definition]) => `${column} ${definition}`), ...constraints]
  await sql.raw(`create table if not exists ${name} (${all.join(', ')})`).execute(db)
  const added = Object.entries(columns).filter(([, definition]) => canBeAdded(definition))
  const list = added.map(([column, definition]) => `add column if not exists ${column} ${definition}`)
  if (list.length > 0) await sql.raw(`alter table ${name} ${list.join(', ')}`).execute(db)
  for (const index of indexes) await sql.raw(index).execute(db)
}

/** In a database of v3 the tables are v3's, with its data. */
export const noWayBack = async (): Promise<void> => {
  throw new Error('This migration cannot be taken back: the tables may be v3’s, with its data.')
}

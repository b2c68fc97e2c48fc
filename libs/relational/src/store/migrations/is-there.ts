import { type Kysely, sql } from 'kysely'

export async function isThere(db: Kysely<unknown>, table: string): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`.execute(db)
  return rows[0]!.there
}

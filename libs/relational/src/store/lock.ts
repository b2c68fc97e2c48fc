// One process at a time, among replicas that share the server: for work that a store without locks must not
// be given twice at once.
import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Runs the work while holding a lock of the server by that name; others wait. The lock belongs to a
 * transaction, so it also holds behind a pooler that lends connections by the transaction, and is freed with
 * the connection when this process dies.
 */
export const withServerLock = async <T>(db: Kysely<Database>, name: string, work: () => Promise<T>): Promise<T> => {
  return db.transaction().execute(async transaction => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction)
    return await work()
  })
}

// A lock among replicas that share the server, for work on a store without locks that must not run concurrently.
import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Runs the work under a named server lock; other processes wait. The lock belongs to a transaction, so it works through a
 * transaction-level pooler and is freed with the connection when this process dies.
 */
export const withServerLock = async <T>(db: Kysely<Database>, name: string, work: () => Promise<T>): Promise<T> => {
  return db.transaction().execute(async transaction => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction)
    return await work()
  })
}

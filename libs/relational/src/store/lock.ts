// A lock that all replicas share, for work on stores that have no locks, such as ClickHouse.
import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Runs the work while this process holds a named lock of the PostgreSQL server. The lock belongs to a transaction, and therefore works
 * through a transaction-level pooler. If this process dies, PostgreSQL frees the lock.
 */
export const withServerLock = async <T>(db: Kysely<Database>, name: string, work: () => Promise<T>): Promise<T> => {
  return db.transaction().execute(async transaction => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction)
    return await work()
  })
}

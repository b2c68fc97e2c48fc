// One process at a time; an open SQLite transaction is a lock that ends with its process.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves with what releases the lock; rejects when it is not free in time. */
export async function lockFile(file: string, timeoutMs: number): Promise<() => void> {
  const database = new DatabaseSync(file)
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      database.exec('BEGIN EXCLUSIVE')
      return () => database.close()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(200)
    }
  }
}

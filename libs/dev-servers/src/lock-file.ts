// The lock is an open SQLite transaction. The transaction ends when its process ends.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves with a function that releases the lock. Rejects after the timeout. */
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

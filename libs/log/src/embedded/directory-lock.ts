// Keeps two processes from opening the same directory. LMDB would allow it, but each process would overwrite the records of the others.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@svc-server/errors'

/**
 * Milliseconds during which a process repeats its attempts to take the lock. Processes that start at the same time can block each other at
 * the first attempt. Because of the retries, one of these processes gets the lock.
 */
const waitMs = 100

/** SQLite's error code if another connection has the lock. */
const busy = 5

/** Protects open databases from garbage collection, which would close them and free their locks. */
const held = new Set<DatabaseSync>()

const processIn = (file: string): string => {
  try {
    return ` in process ${(JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid}`
  } catch {
    return ''
  }
}

/**
 * Locks the directory, and creates it if it is missing. `what` names the directory's contents in the error message. Throws
 * `data_dir_locked`. Returns the function that releases the lock. The lock is an exclusive SQLite transaction, which ends with the process
 * (ADR 0003). A lock file would be worse: it could remain after a crash, and two processes could not remove the stale file safely.
 */
export function lockDirectory(directory: string, what: string): () => void {
  mkdirSync(directory, { recursive: true })
  const owner = join(directory, 'owner.json')
  const lock = new DatabaseSync(join(directory, 'lock.sqlite'), { timeout: waitMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    // A process that cannot lock the directory reads the id of the lock's owner from this file, and names the id in its error message.
    writeFileSync(owner, JSON.stringify({ pid: process.pid }))
  } catch (error) {
    lock.close()
    if ((error as { readonly errcode?: number }).errcode !== busy) throw error
    throw new AppError('data_dir_locked', `${what} in ${directory} is already open${processIn(owner)}.`, { directory }, { cause: error })
  }
  held.add(lock)
  return () => {
    if (!held.delete(lock)) return
    rmSync(owner, { force: true })
    lock.close()
  }
}

// Prevents two processes from opening the same directory. LMDB allows several processes, but each process would have its own state in
// memory and overwrite the records of the others.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@svc-server/errors'

/** Processes that open a directory at the same time retry the lock for this long, so that one of them gets it. */
const waitMs = 100

/** SQLite's error code if another connection has the lock. */
const busy = 5

/** The open databases. The references keep the lock: a garbage-collected database would be closed and its lock released. */
const held = new Set<DatabaseSync>()

const processIn = (file: string): string => {
  try {
    return ` in process ${(JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid}`
  } catch {
    return ''
  }
}

/**
 * Locks the directory, and creates it when it is missing. The error message uses `what` to name the contents of the directory. Throws
 * `data_dir_locked`. Returns the function that releases the lock.
 *
 * The lock is an exclusive SQLite transaction, which the operating system releases with the process (ADR 0003). A lock file could be stale
 * after a crash; a process that removes a stale file could remove that of a process that has just started.
 */
export function lockDirectory(directory: string, what: string): () => void {
  mkdirSync(directory, { recursive: true })
  const owner = join(directory, 'owner.json')
  const lock = new DatabaseSync(join(directory, 'lock.sqlite'), { timeout: waitMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    // The file contains the id of the locking process, for the error message.
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

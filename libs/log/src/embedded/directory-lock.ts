// A guard against opening one directory twice. LMDB would allow it, and two writers that each know what stands
// there would overwrite records.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@svc-server/errors'

/** Of those who ask at the same moment one has it after this time; without any wait all could be refused. */
const waitMs = 100

/** SQLite's code for a lock that somebody else has. */
const busy = 5

/** An open database that nothing refers to is closed by the collector, and its lock would be gone. */
const held = new Set<DatabaseSync>()

const processIn = (file: string): string => {
  try {
    return ` in process ${(JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid}`
  } catch {
    return ''
  }
}

/**
 * Takes the directory, which is made if need be. `what` is in it, as it stands in the error. Throws
 * `data_dir_locked`. Returns the release. An exclusive SQLite transaction is the lock, which the operating
 * system frees with the process (ADR 0003): a file alone has to be judged after a crash, and whoever judges it
 * may remove what another has made meanwhile.
 */
export function lockDirectory(directory: string, what: string): () => void {
  mkdirSync(directory, { recursive: true })
  const owner = join(directory, 'owner.json')
  const lock = new DatabaseSync(join(directory, 'lock.sqlite'), { timeout: waitMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    // For the message alone.
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

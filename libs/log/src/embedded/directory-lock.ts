// A cheap guard against opening one directory twice. LMDB would allow it, and two writers that each know what
// stands there would overwrite records.
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'

interface Owner {
  readonly pid: number
  /** Start time of the process where the system tells it: a reused pid is not the owner. */
  readonly started: string | null
}

const startOf = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 22, counted behind the command's name, which may itself hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

const isAlive = ({ pid, started }: Owner): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === null || startOf(pid) === started
}

const readOwner = (file: string): Owner | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner
  } catch {
    return undefined
  }
}

/**
 * Takes the directory, which is made if need be. `what` is in it, as it stands in the error. Throws
 * `data_dir_locked`. Returns the release.
 */
export function lockDirectory(directory: string, what: string): () => void {
  mkdirSync(directory, { recursive: true })
  const file = join(realpathSync(directory), 'owner.json')
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Owner))
  try {
    const owner = readOwner(file)
    if (owner && !isAlive(owner)) rmSync(file, { force: true })
    // A link is made whole or not at all, and only by one.
    linkSync(mine, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const owner = readOwner(file)
    throw new AppError('data_dir_locked', `${what} in ${directory} is already open${owner ? ` in process ${owner.pid}` : ''}.`, {
      directory,
    })
  } finally {
    rmSync(mine, { force: true })
  }
  return () => rmSync(file, { force: true })
}

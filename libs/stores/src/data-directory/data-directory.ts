// The data directory belongs to one process at a time: PGlite and the embedded log would both be damaged by a
// second one.
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@svc-server/errors'
import { unusableDirectory } from '@svc-server/service/files'
import { ensureOwnDirectory } from './own-directory.ts'
import { loadSecrets, type Secrets } from './secrets.ts'

export type { Secrets } from './secrets.ts'

export interface DataDirectory {
  readonly path: string
  readonly paths: {
    readonly log: string
    readonly relational: string
    readonly columnStore: string
    readonly media: string
    /** State that is rebuilt from the log when it is lost, as is that of the merger. */
    readonly propagator: string
    readonly merger: string
  }
  /** What the first start made. */
  readonly secrets: Secrets
  release(): void
}

const workspace = resolve(import.meta.dirname, '../../../..')

/**
 * A relative SVC_DATA_DIR counts from the workspace, so that `npm start` and `npm run svc` mean the same
 * wherever they are called.
 */
export const dataDirectoryOf = (path: string): string => resolve(workspace, path)

function openLock(directory: string, variable: string): DatabaseSync {
  ensureOwnDirectory(directory, variable)
  const path = join(directory, 'lock.sqlite')
  try {
    return new DatabaseSync(path)
  } catch (error) {
    throw unusableDirectory(directory, variable, { cause: error as Error, path })
  }
}

/**
 * Takes the directory. An exclusive SQLite transaction is the lock: the operating system frees it with the
 * process, also after kill -9, so there is no stale lock to judge (a file with a process id would need that).
 * @throws AppError data_dir_locked, or config_invalid for a path that cannot be used or secrets that are
 * damaged
 */
export function lockDataDirectory(directory: string, variable = 'SVC_DATA_DIR'): DataDirectory {
  const lock = openLock(directory, variable)
  try {
    // DELETE mode takes a plain file lock; nothing is ever written.
    lock.exec('PRAGMA journal_mode = DELETE; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw new AppError(
      'data_dir_locked',
      `Another instance runs on ${directory}, or a command of svc that began while none ran. End it first, or choose another directory with ${variable}.`,
      { directory },
      { cause: error },
    )
  }
  return {
    path: directory,
    paths: {
      log: join(directory, 'log'),
      relational: join(directory, 'relational'),
      columnStore: join(directory, 'column-store'),
      media: join(directory, 'media'),
      propagator: join(directory, 'propagator'),
      merger: join(directory, 'merger'),
    },
    secrets: secretsUnder(lock, directory),
    release: () => lock.close(),
  }
}

/** A directory whose secrets cannot be read is let go again. */
function secretsUnder(lock: DatabaseSync, directory: string): Secrets {
  try {
    return loadSecrets(join(directory, 'secrets.json'))
  } catch (error) {
    lock.close()
    throw error
  }
}

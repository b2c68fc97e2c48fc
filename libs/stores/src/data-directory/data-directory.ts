// Locks the data directory for one process. A second process in this directory would damage PGlite and the embedded log.
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
    /** The propagator's state. It can be rebuilt from the log. */
    readonly propagator: string
    readonly merger: string
  }
  readonly secrets: Secrets
  release(): void
}

const workspace = resolve(import.meta.dirname, '../../../..')

/** A relative path begins at the workspace, so that `npm start` and `npm run svc` use the same directory. */
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
 * Locks the directory by an exclusive SQLite transaction. The operating system releases this lock even after kill -9. In contrast,
 * a lock file that contains a process id would remain after kill -9.
 * @throws AppError data_dir_locked, or config_invalid if the path is unusable or the secrets are damaged
 */
export function lockDataDirectory(directory: string, variable = 'SVC_DATA_DIR'): DataDirectory {
  const lock = openLock(directory, variable)
  try {
    // In DELETE mode, SQLite only locks the file, and writes nothing to it.
    lock.exec('PRAGMA journal_mode = DELETE; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw new AppError(
      'data_dir_locked',
      `Another process uses ${directory}: an instance, or an svc command that began while no instance ran. Stop that process first, or choose a different directory with ${variable}.`,
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

/** Loads the secrets. If they cannot be read, releases the lock and throws. */
function secretsUnder(lock: DatabaseSync, directory: string): Secrets {
  try {
    return loadSecrets(join(directory, 'secrets.json'))
  } catch (error) {
    lock.close()
    throw error
  }
}

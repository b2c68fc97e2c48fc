// One process at a time owns the data directory: a second process would damage PGlite and the embedded log.
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
    /**
     * Directory of the propagator's state, which the propagator rebuilds from the log when the state is lost. The same holds for the
     * merger's directory.
     */
    readonly propagator: string
    readonly merger: string
  }
  /** Secrets that the first start generated. */
  readonly secrets: Secrets
  release(): void
}

const workspace = resolve(import.meta.dirname, '../../../..')

/** A relative SVC_DATA_DIR is resolved from the workspace, so that `npm start` and `npm run svc` agree in any working directory. */
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
 * Locks the directory with an exclusive SQLite transaction. The operating system frees the lock when the process ends, even after kill -9.
 * A file that holds a process id could instead become a stale lock.
 * @throws AppError data_dir_locked, or config_invalid for an unusable path or damaged secrets
 */
export function lockDataDirectory(directory: string, variable = 'SVC_DATA_DIR'): DataDirectory {
  const lock = openLock(directory, variable)
  try {
    // In DELETE mode SQLite uses a simple file lock. This code never writes to the database.
    lock.exec('PRAGMA journal_mode = DELETE; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw new AppError(
      'data_dir_locked',
      `Another instance uses ${directory}, or an svc command that began while no instance ran. End it first, or choose another directory with ${variable}.`,
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

/** Reads the secrets of a locked directory. If the secrets cannot be read, the function releases the lock. */
function secretsUnder(lock: DatabaseSync, directory: string): Secrets {
  try {
    return loadSecrets(join(directory, 'secrets.json'))
  } catch (error) {
    lock.close()
    throw error
  }
}

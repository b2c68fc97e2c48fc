// Protects against a mistaken SVC_DATA_DIR such as /etc: new permissions would make /etc unusable.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import { ensurePrivateDirectory, unusableDirectory } from '@svc-server/service/files'

/**
 * Every directory used by a process contains at least one of these entries. After an interrupted first start, the directory contains at
 * least the lock file, which is created first. With Kafka, the directory contains only state, without a lock file. A directory can also
 * contain a single store that an operator moved there. The list contains `log/data.mdb` instead of `log`, because `/var` also contains
 * `log`.
 */
const marks: readonly string[] = [
  'lock.sqlite',
  'secrets.json',
  'log/data.mdb',
  'relational/PG_VERSION',
  'column-store/metadata',
  'propagator',
  'merger',
]

/** Every new ext4 volume contains this directory, which root owns. */
const ofTheFileSystem = 'lost+found'

const namesShown = 3

function namesIn(directory: string, variable: string): readonly string[] {
  try {
    return readdirSync(directory).filter(name => name !== ofTheFileSystem)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // If the directory is missing, the caller creates it. If the path is not a directory, the caller rejects it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw unusableDirectory(directory, variable, { cause: cause as Error })
  }
}

/**
 * Creates the directory if it is missing. Makes an existing directory private if it is empty, or if a process of this product has used it
 * before. @param variable the variable that the error names, because it contains the path @throws AppError config_invalid if the directory
 * contains files of others, which stay unchanged, or if it cannot be made private
 */
export function ensureOwnDirectory(directory: string, variable: string): void {
  const names = namesIn(directory, variable)
  if (names.length > 0 && !marks.some(mark => existsSync(join(directory, mark)))) {
    const shown = `${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ', …' : ''}`
    throw new AppError(
      'config_invalid',
      `${variable}=${directory} contains other files (${shown}), but no data of this server. Choose an empty directory, or one that does not exist yet.`,
      { directory },
    )
  }
  ensurePrivateDirectory(directory, variable)
}

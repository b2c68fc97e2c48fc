// Guards against a mistaken SVC_DATA_DIR such as /etc, which changing permissions would ruin.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import { ensurePrivateDirectory, unusableDirectory } from '@svc-server/service/files'

/**
 * One of these files is in every directory that a process has used, even after an interrupted first start, because the lock is
 * created first. On Kafka there is no lock but only state, and a store may have been moved from elsewhere. `/var` also has a
 * `log`, but the product's has a database.
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

/** Every new ext4 volume has this directory, which belongs to root. */
const ofTheFileSystem = 'lost+found'

const namesShown = 3

function namesIn(directory: string, variable: string): readonly string[] {
  try {
    return readdirSync(directory).filter(name => name !== ofTheFileSystem)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // The caller creates a missing directory and rejects a path that is not a directory.
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw unusableDirectory(directory, variable, { cause: cause as Error })
  }
}

/**
 * Creates the directory, or makes one private that is empty or was used before.
 * @param variable the variable that names the directory in the error
 * @throws AppError config_invalid when the directory holds files of others, which stay unchanged, or cannot be made private
 */
export function ensureOwnDirectory(directory: string, variable: string): void {
  const names = namesIn(directory, variable)
  if (names.length > 0 && !marks.some(mark => existsSync(join(directory, mark)))) {
    const shown = `${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ', …' : ''}`
    throw new AppError(
      'config_invalid',
      `${variable}=${directory} holds other files (${shown}) and no data of this server. Choose an empty directory, or one that does not exist yet.`,
      { directory },
    )
  }
  ensurePrivateDirectory(directory, variable)
}

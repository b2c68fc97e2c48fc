// Guards against a mistaken SVC_DATA_DIR such as /etc, because changed permissions would make /etc unusable.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import { ensurePrivateDirectory, unusableDirectory } from '@svc-server/service/files'

/**
 * Every directory that a process has used contains at least one of these entries. Even an interrupted first start leaves the lock file,
 * because it is created first. With Kafka a directory has no lock file and contains only state. An operator may also have moved a single
 * store to this directory. The entry is `log/data.mdb` and not `log`, because `/var` also contains `log`.
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

/** Every new ext4 volume contains this directory, which belongs to root. */
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
 * Creates the directory. An existing directory that is empty or was used before becomes private.
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

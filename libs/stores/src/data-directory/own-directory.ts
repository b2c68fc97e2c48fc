// SVC_DATA_DIR can name any directory by mistake, /etc as well: closing that one to others would ruin it.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import { ensurePrivateDirectory, unusableDirectory } from '@svc-server/service/files'

/**
 * One of these is in every directory that a process has used, also where its first start was cut off: the lock
 * is made before all else. On Kafka there is no lock, only the state; and a store may have been brought from elsewhere. `/var`
 * has a `log`, too: ours has a database.
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

/** Every fresh ext4 volume has one, and it is root's. */
const ofTheFileSystem = 'lost+found'

const namesShown = 3

function namesIn(directory: string, variable: string): readonly string[] {
  try {
    return readdirSync(directory).filter(name => name !== ofTheFileSystem)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // What is not there is made, and what is no directory is refused, by whoever makes it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw unusableDirectory(directory, variable, { cause: cause as Error })
  }
}

/**
 * Makes the directory, or closes one to others that is empty or was used before.
 * @param variable that names it in the refusal
 * @throws AppError config_invalid when it holds what is not this server's, which is left as it is, or cannot be
 * made private
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

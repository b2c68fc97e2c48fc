// Protects directories of other programs against a mistaken SVC_DATA_DIR. For example, /etc would be unusable with the permissions of a
// data directory.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import { ensurePrivateDirectory, unusableDirectory } from '@svc-server/service/files'

/**
 * Every directory that this product has used contains at least one of these entries. Usually, the process creates the lock file
 * first, so the directory contains at least this entry. But a process that uses Kafka stores only its state, without a lock file. An
 * operator can also have moved only one store into the directory, so the list has an entry for each store. The list does not contain the
 * folder `log` itself. Otherwise, `/var`, which also contains a folder `log`, would count as a directory of this product.
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

/** Every new ext4 volume contains this directory, so a volume with only this directory counts as empty. */
const ofTheFileSystem = 'lost+found'

const namesShown = 3

function namesIn(directory: string, variable: string): readonly string[] {
  try {
    return readdirSync(directory).filter(name => name !== ofTheFileSystem)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // The caller creates a missing directory, and rejects what is not a directory.
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw unusableDirectory(directory, variable, { cause: cause as Error })
  }
}

/**
 * Creates the directory. Makes an existing directory private if it is empty or belongs to this product.
 * @param variable the variable that contains the path, for errors
 * @throws AppError config_invalid if the directory contains other files, or cannot be made private
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

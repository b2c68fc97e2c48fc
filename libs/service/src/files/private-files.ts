// Makes files private to the user of the process: spans contain prompts, and the data directory contains keys.
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import { unusableDirectory } from './unusable-directory.ts'

const forOthers = 0o077

/** Makes all new files, directories and sockets of this process and its children private. */
export function makeFilesPrivate(): void {
  process.umask(forOthers)
}

/**
 * Removes the permissions of group and others below `path`. Skips targets of links, files that are deleted meanwhile, and the folder
 * `lost+found`, which belongs to root.
 */
export function tighten(path: string, chmod: typeof chmodSync = chmodSync): void {
  for (const name of readdirSync(path)) {
    if (name === 'lost+found') continue
    const inner = join(path, name)
    const status = lstatSync(inner, { throwIfNoEntry: false })
    if (status === undefined || status.isSymbolicLink()) continue
    if ((status.mode & forOthers) !== 0) chmod(inner, status.mode & 0o700)
    if (status.isDirectory()) tighten(inner, chmod)
  }
}

/**
 * Creates the directory, or changes an existing one to mode 0700. If other users had access to the directory, also removes their
 * permissions from everything in it.
 * @param variable the environment variable of the directory, for the error
 * @throws AppError config_invalid when the path cannot be a directory or cannot be made private
 */
export function ensurePrivateDirectory(directory: string, variable: string, chmod: typeof chmodSync = chmodSync): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if ((statSync(directory).mode & 0o777) === 0o700) return
    chmod(directory, 0o700)
    tighten(directory, chmod)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const isOpen = code === 'EPERM' || code === 'EROFS'
    throw unusableDirectory(directory, variable, {
      cause: cause as Error,
      ...(isOpen && { reason: 'other users can access it, and this user is not allowed to change its permissions' }),
    })
  }
  if ((statSync(directory).mode & forOthers) !== 0)
    throw new AppError(
      'config_invalid',
      `${variable}=${directory} is accessible to other users, and its file system has no permissions. Choose a different directory.`,
      {
        directory,
      },
    )
}

// What a process stores is its owner's alone: spans hold prompts, the data directory holds keys.
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc-server/errors'
import { unusableDirectory } from './unusable-directory.ts'

const forOthers = 0o077

/**
 * From here on, every file, directory and socket that this process or its children make has no bit for group
 * and others.
 */
export function makeFilesPrivate(): void {
  process.umask(forOthers)
}

/**
 * Takes the bits for group and others from everything below; what has vanished meanwhile, what a link points
 * to, and what a volume's file system keeps for root alone, is left alone.
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
 * Makes the directory, or tightens one that is there, to 0700. One that was open before is tightened to its
 * last file, once: what lies in it was open, too.
 * @param variable that names it in the refusal
 * @throws AppError config_invalid when it cannot be one, or cannot be made private
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
      ...(isOpen && { reason: 'it is open to others, and this user may not close it' }),
    })
  }
  if ((statSync(directory).mode & forOthers) !== 0)
    throw new AppError(
      'config_invalid',
      `${variable}=${directory} is open to other users, and its file system knows no permissions. Choose another place.`,
      {
        directory,
      },
    )
}

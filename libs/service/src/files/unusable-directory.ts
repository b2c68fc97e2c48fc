// Explains why a directory cannot be used. Usually it belongs to another user, for example after a start with sudo. The system's `EACCES`
// names neither the owner nor a remedy.
import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '@svc-server/errors'

/** Reads the user's name from /etc/passwd. On systems such as macOS, this file does not contain the names of users. */
function nameOf(uid: number): string | undefined {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find(each => each.split(':')[2] === String(uid))
    return line?.split(':')[0]
  } catch {
    return undefined
  }
}

function shown(uid: number): string {
  const name = nameOf(uid)
  return name === undefined ? `user ${uid}` : `${name} (user ${uid})`
}

/**
 * Returns the path and its owner. If the path cannot be read, returns the nearest parent directory that can be read, with that directory's
 * owner.
 */
function innermost(path: string): { readonly path: string; readonly uid: number } {
  try {
    return { path, uid: statSync(path).uid }
  } catch (error) {
    if (dirname(path) === path) throw error
    return innermost(dirname(path))
  }
}

/** Returns a sentence with the owner and the fix; undefined if the user of this process (`uid`) is the owner. */
function ofAnother(directory: string, path: string, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined
  const found = innermost(path)
  if (found.uid === uid) return undefined
  const [owner, self] = [shown(found.uid), shown(uid)]
  const whose = `${found.path === directory ? 'It' : found.path} belongs to ${owner}, and this process runs as ${self}.`
  return found.path.startsWith(directory)
    ? `${whose} Run it as ${owner}, or change the owner of all files (chown -R ${uid} ${directory}), or choose a different directory.`
    : `${whose} Choose a different directory, or let its owner give it to ${self}.`
}

interface Failure {
  readonly cause: Error
  /** A reason to show instead of the reason that the system gave. */
  readonly reason?: string
  /** The unusable path, if it is below the directory. */
  readonly path?: string
  readonly uid?: number | undefined
}

const ofPermissions: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'ERR_SQLITE_ERROR'])

/** @param variable the variable that names the directory */
export function unusableDirectory(directory: string, variable: string, failure: Failure): AppError {
  const { cause, reason = cause.message, path = directory, uid = process.getuid?.() } = failure
  const owner = ofPermissions.has((cause as NodeJS.ErrnoException).code) ? ofAnother(directory, path, uid) : undefined
  const message = `${variable}=${directory} cannot be used as a directory: ${reason}.${owner === undefined ? '' : ` ${owner}`}`
  return new AppError('config_invalid', message, { directory }, { cause })
}

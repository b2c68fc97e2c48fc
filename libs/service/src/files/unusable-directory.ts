// Why a directory cannot be used: most often it is another user's, as after one start with sudo, and `EACCES` says neither whose nor what to do.
import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '@svc-server/errors'

/** Undefined where users are not in that file, as on macOS. */
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

/** The path, or the innermost directory on the way to it that can be looked at. */
function innermost(path: string): { readonly path: string; readonly uid: number } {
  try {
    return { path, uid: statSync(path).uid }
  } catch (error) {
    if (dirname(path) === path) throw error
    return innermost(dirname(path))
  }
}

/** Whose it is and what to do about it; undefined where it is this user's own. */
function ofAnother(directory: string, path: string, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined
  const found = innermost(path)
  if (found.uid === uid) return undefined
  const [owner, self] = [shown(found.uid), shown(uid)]
  const whose = `${found.path === directory ? 'It' : found.path} belongs to ${owner}, and this process runs as ${self}.`
  return found.path.startsWith(directory)
    ? `${whose} Run it as ${owner}, or give it all away (chown -R ${uid} ${directory}), or choose another directory.`
    : `${whose} Choose another directory, or have it made for ${self}.`
}

interface Failure {
  /** What the system said. */
  readonly cause: Error
  /** In its place. */
  readonly reason?: string
  /** What of the directory could not be used. */
  readonly path?: string
  /** Of this process. */
  readonly uid?: number | undefined
}

const ofPermissions: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'ERR_SQLITE_ERROR'])

/** @param variable that names the directory */
export function unusableDirectory(directory: string, variable: string, failure: Failure): AppError {
  const { cause, reason = cause.message, path = directory, uid = process.getuid?.() } = failure
  const owner = ofPermissions.has((cause as NodeJS.ErrnoException).code) ? ofAnother(directory, path, uid) : undefined
  const message = `${variable}=${directory} cannot be used as a directory: ${reason}.${owner === undefined ? '' : ` ${owner}`}`
  return new AppError('config_invalid', message, { directory }, { cause })
}

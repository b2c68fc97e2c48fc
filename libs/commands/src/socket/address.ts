// The address of the socket on which a running instance accepts commands.
import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'

/** Maximum length of a unix socket's path on all supported systems (on macOS, 104 bytes with the terminating zero). */
const maxSocketPathBytes = 100

/**
 * Returns the path of the socket for a data directory. The socket is in the temporary directory if its path in the data directory would be
 * too long.
 */
export function socketPathOf(directory: string): string {
  const own = join(resolve(directory), 'svc.sock')
  if (Buffer.byteLength(own) <= maxSocketPathBytes) return own
  return join(tmpdir(), `svc-${userInfo().uid}-${createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16)}.sock`)
}

/** A line of the response. The last line of the response contains the exit code. */
export type Line = { readonly out: string } | { readonly error: string } | { readonly exit: number }

/** False for a socket that a different user has created or may access, because that user could receive the command. */
export function isOwnSocket(path: string): boolean {
  try {
    const status = lstatSync(path)
    return status.isSocket() && status.uid === userInfo().uid && (status.mode & 0o077) === 0
  } catch {
    return false
  }
}

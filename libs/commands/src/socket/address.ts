// Where a running instance listens for commands.
import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Longest path that a unix socket can have on every supported system (macOS: 104 bytes with the closing
 * zero).
 */
const maxSocketPathBytes = 100

/**
 * The socket of a data directory; one in the temporary directory when the directory's own path is too long
 * for a socket.
 */
export function socketPathOf(directory: string): string {
  const own = join(resolve(directory), 'svc.sock')
  if (Buffer.byteLength(own) <= maxSocketPathBytes) return own
  return join(tmpdir(), `svc-${userInfo().uid}-${createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16)}.sock`)
}

/** One line of the answer. The last one carries the exit code. */
export type Line = { readonly out: string } | { readonly error: string } | { readonly exit: number }

/** A socket that somebody else made, or others may use, is not asked: it would be given the command. */
export function isOwnSocket(path: string): boolean {
  try {
    const status = lstatSync(path)
    return status.isSocket() && status.uid === userInfo().uid && (status.mode & 0o077) === 0
  } catch {
    return false
  }
}

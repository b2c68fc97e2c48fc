import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'

/** All supported systems accept a path of this length for a unix socket. macOS accepts at most 104 bytes, including the final zero. */
const maxSocketPathBytes = 100

/** Returns the socket's path: in the data directory, or in the temporary directory if the path would be too long. */
export function socketPathOf(directory: string): string {
  const own = join(resolve(directory), 'svc.sock')
  if (Buffer.byteLength(own) <= maxSocketPathBytes) return own
  return join(tmpdir(), `svc-${userInfo().uid}-${createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16)}.sock`)
}

/** A line of the response. The last line contains the exit code. */
export type Line = { readonly out: string } | { readonly error: string } | { readonly exit: number }

/** True if this process's user owns the socket, and no other user can access it. If false, another user could receive the command. */
export function isOwnSocket(path: string): boolean {
  try {
    const status = lstatSync(path)
    return status.isSocket() && status.uid === userInfo().uid && (status.mode & 0o077) === 0
  } catch {
    return false
  }
}

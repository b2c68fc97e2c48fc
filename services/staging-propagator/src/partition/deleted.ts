// Whether a staged record is of a trace that was deleted, by its key alone.
import type { Denials } from '@svc-server/deletions/denials'

const slash = 0x2f

/** `key`: project/trace. A trace whose id has a slash is not known here: it is the writer that denies. */
export function isDeleted(denials: Denials, key: Buffer): boolean {
  const middle = key.lastIndexOf(slash)
  if (middle < 0) return false
  const projectId = key.toString('utf8', 0, middle)
  return denials.concerns(projectId) && denials.denies(projectId, key.toString('utf8', middle + 1))
}

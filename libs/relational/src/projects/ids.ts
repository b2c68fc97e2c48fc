// Ids of organizations and projects.
import { AppError } from '@svc-server/errors'

/**
 * Ids of organizations and projects stand in keys of the log, in paths and URLs, and in file names of blob storage: none of them may end, leave or
 * widen one of those.
 */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/

/** Throws `bad_request`. */
export function requireId(what: string, id: string): void {
  if (!idPattern.test(id))
    throw new AppError('bad_request', `An id of ${what} has 1 to 64 letters, digits, - and _.`, { id: id.slice(0, 80) })
}

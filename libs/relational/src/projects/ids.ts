// Ids of organizations and projects.
import { AppError } from '@svc-server/errors'

/**
 * Ids of organizations and projects are parts of log keys, paths, URLs, and file names of blob storage: no id may terminate,
 * escape, or widen any of these.
 */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/

/** Throws `bad_request`. */
export function requireId(what: string, id: string): void {
  if (!idPattern.test(id))
    throw new AppError('bad_request', `An id of ${what} has 1 to 64 letters, digits, - and _.`, { id: id.slice(0, 80) })
}

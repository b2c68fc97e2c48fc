// Ids of organizations and projects.
import { AppError } from '@svc-server/errors'

/**
 * Ids of organizations and projects are used in log keys, paths, URLs, and file names in blob storage, so they contain no character that
 * has a special meaning there.
 */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/

/** Throws `bad_request` if the id is invalid. */
export function requireId(what: string, id: string): void {
  if (!idPattern.test(id))
    throw new AppError('bad_request', `An id of ${what} must have 1 to 64 letters, digits, - and _.`, { id: id.slice(0, 80) })
}

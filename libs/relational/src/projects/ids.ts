// Ids of organizations and projects.
import { AppError } from '@svc-server/errors'

/**
 * The ids of organizations and projects are parts of paths, URLs, file names in blob storage, and keys of records on the log. The ids
 * therefore have only characters that have no special meaning there.
 */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/

/** Throws `bad_request` if the id is invalid. */
export function requireId(what: string, id: string): void {
  if (!idPattern.test(id))
    throw new AppError('bad_request', `An id of ${what} must have 1 to 64 letters, digits, - and _.`, { id: id.slice(0, 80) })
}

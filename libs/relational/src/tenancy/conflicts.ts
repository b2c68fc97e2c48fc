// Determines which constraint rejected a row, so that repositories can throw specific errors.
import { isAppError } from '@svc-server/errors'

/**
 * Returns true if the error means that a row with this key already exists. With `constraints`, returns true only if one of these
 * constraints was violated.
 */
export const isConflict = (error: unknown, ...constraints: readonly string[]): boolean =>
  isAppError(error) && error.code === 'conflict' && (constraints.length === 0 || constraints.includes(String(error.params['constraint'])))

/** Returns true if the error means that the row refers to a missing row. */
export const isMissingReference = (error: unknown): boolean => isAppError(error) && error.code === 'reference_missing'

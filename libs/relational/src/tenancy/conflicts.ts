// Which constraint refused a row, for repositories that say it in words of their own.
import { isAppError } from '@svc-server/errors'

/** A row with this key exists already; with constraints given: by one of them. */
export const isConflict = (error: unknown, ...constraints: readonly string[]): boolean =>
  isAppError(error) && error.code === 'conflict' && (constraints.length === 0 || constraints.includes(String(error.params['constraint'])))

/** What the row refers to does not exist. */
export const isMissingReference = (error: unknown): boolean => isAppError(error) && error.code === 'reference_missing'

import { isAppError } from '@svc-server/errors'

/**
 * True if the store refused a row because a row with its key already exists. If `constraints` are given, true only if the refused row
 * violated one of these constraints.
 */
export const isConflict = (error: unknown, ...constraints: readonly string[]): boolean =>
  isAppError(error) && error.code === 'conflict' && (constraints.length === 0 || constraints.includes(String(error.params['constraint'])))

/** True if the store refused a write because the written row refers to a missing row. */
export const isMissingReference = (error: unknown): boolean => isAppError(error) && error.code === 'reference_missing'

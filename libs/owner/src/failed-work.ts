// Decides the outcome for a partition whose work failed, for all services that own partitions.
import { type AppError, isAppError, isRetryable } from '@svc-server/errors'
import type { BatchOutcome, OwnedPartition } from '@svc-server/log'
import type { Logger } from '@svc-server/service/logs'

const restMs = 1_000

export interface FailedWork {
  /** How long a partition pauses when only an operator can fix the cause. */
  readonly haltedPauseMs: number
  onFenced(at: OwnedPartition): void
  onHalted(at: OwnedPartition, error: AppError): void
  onRest(at: OwnedPartition, error: AppError): void
}

/** Throws errors that this service cannot handle. */
export function outcomeOfFailure(
  at: OwnedPartition,
  error: unknown,
  { haltedPauseMs, onFenced, onHalted, onRest }: FailedWork,
): BatchOutcome {
  // The log itself retries damage, as soon as an operator skips it.
  if (!isAppError(error) || error.code === 'log_corrupt') throw error
  if (error.code === 'fenced') {
    onFenced(at)
    return { kind: 'done' }
  }
  // Work that a stopping member abandons is no fault.
  if (error.code === 'draining' && at.signal.aborted) return { kind: 'done' }
  if (!isRetryable(error)) {
    onHalted(at, error)
    return { kind: 'pause', afterMs: haltedPauseMs }
  }
  onRest(at, error)
  return { kind: 'pause', afterMs: restMs }
}

interface Ending {
  /** Name within a sentence: `merger`. */
  readonly service: string
  /** Records on the log that wait for the fix: `events`. */
  readonly waiting: string
  readonly health: { end(reason: string): void }
  readonly logger: Logger
  onBug(cause: unknown): void
}

/**
 * For errors that end a service of owners: probes and the operator are informed, and a defect is rethrown to the
 * caller that started the service.
 */
export const createFatalHandler =
  ({ service, waiting, health, logger, onBug }: Ending) =>
  (cause: unknown): void => {
    if (!isAppError(cause)) {
      health.end(`the ${service} stopped because of a defect`)
      logger.fatal({ err: cause }, `The ${service} stopped because of a defect`)
      onBug(cause)
      return
    }
    health.end(cause.probeText)
    logger.error(
      { err: cause, help: cause.definition.help },
      `The ${service} has ended: ${waiting} wait on the log until an operator fixes the cause`,
    )
  }

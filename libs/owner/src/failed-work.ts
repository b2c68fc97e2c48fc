// Decides what happens to a partition after a failure.
import { type AppError, isAppError, isRetryable } from '@svc-server/errors'
import type { BatchOutcome, OwnedPartition } from '@svc-server/log'
import type { Logger } from '@svc-server/service/logs'

const restMs = 1_000

export interface FailedWork {
  readonly haltedPauseMs: number
  onFenced(at: OwnedPartition): void
  onHalted(at: OwnedPartition, error: AppError): void
  onRest(at: OwnedPartition, error: AppError): void
}

/** Returns how the partition continues after the failure. Rethrows an error that the service cannot handle. */
export function outcomeOfFailure(
  at: OwnedPartition,
  error: unknown,
  { haltedPauseMs, onFenced, onHalted, onRest }: FailedWork,
): BatchOutcome {
  // For `log_corrupt`, the log itself halts the partition, and continues it when an operator skips the damaged range.
  if (!isAppError(error) || error.code === 'log_corrupt') throw error
  if (error.code === 'fenced') {
    onFenced(at)
    return { kind: 'done' }
  }
  // This group member stops, so it abandons its work.
  if (error.code === 'draining' && at.signal.aborted) return { kind: 'done' }
  if (!isRetryable(error)) {
    onHalted(at, error)
    return { kind: 'pause', afterMs: haltedPauseMs }
  }
  onRest(at, error)
  return { kind: 'pause', afterMs: restMs }
}

interface Ending {
  /** The service's name for messages, written as in the middle of a sentence, for example `merger`. */
  readonly service: string
  /** The word for the waiting records in messages, written as in the middle of a sentence, for example `events`. */
  readonly waiting: string
  readonly health: { end(reason: string): void }
  readonly logger: Logger
  onBug(cause: unknown): void
}

/** Creates the handler for errors that end a service. The handler informs the probes and the operator, and passes bugs to `onBug`. */
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
      `The ${service} has stopped: ${waiting} wait on the log until an operator fixes the cause`,
    )
  }

// What becomes of a partition whose work failed: for all owners of this service.
import { type AppError, isAppError, isRetryable } from '@svc-server/errors'
import type { BatchOutcome, OwnedPartition } from '@svc-server/log'
import type { Logger } from '@svc-server/service/logs'

const restMs = 1_000

export interface FailedWork {
  /** How long a partition rests that only an operator can mend. */
  readonly haltedPauseMs: number
  onFenced(at: OwnedPartition): void
  onHalted(at: OwnedPartition, error: AppError): void
  onRest(at: OwnedPartition, error: AppError): void
}

/** Throws what is not this service's to mend. */
export function outcomeOfFailure(
  at: OwnedPartition,
  error: unknown,
  { haltedPauseMs, onFenced, onHalted, onRest }: FailedWork,
): BatchOutcome {
  // The log tries damage again by itself, as soon as it is given up.
  if (!isAppError(error) || error.code === 'log_corrupt') throw error
  if (error.code === 'fenced') {
    onFenced(at)
    return { kind: 'done' }
  }
  // Whoever stops gives up what it was doing; that is no fault.
  if (error.code === 'draining' && at.signal.aborted) return { kind: 'done' }
  if (!isRetryable(error)) {
    onHalted(at, error)
    return { kind: 'pause', afterMs: haltedPauseMs }
  }
  onRest(at, error)
  return { kind: 'pause', afterMs: restMs }
}

interface Ending {
  /** As a word within a sentence: `merger`. */
  readonly service: string
  /** What waits on the log until this is mended: `events`. */
  readonly waiting: string
  readonly health: { end(reason: string): void }
  readonly logger: Logger
  onBug(cause: unknown): void
}

/** For what ends a service of owners: probes and the operator are told, and a defect goes on to who started it. */
export const createFatalHandler =
  ({ service, waiting, health, logger, onBug }: Ending) =>
  (cause: unknown): void => {
    if (!isAppError(cause)) {
      health.end(`the ${service} stopped on a defect`)
      logger.fatal({ err: cause }, `The ${service} stopped on a defect`)
      onBug(cause)
      return
    }
    health.end(cause.probeText)
    logger.error({ err: cause, help: cause.definition.help }, `The ${service} has ended: ${waiting} wait on the log until this is mended`)
  }

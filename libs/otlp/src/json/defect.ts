// What makes a span, or the envelope around it, impossible to take.
import type { RejectReason } from '../rejection.ts'

/**
 * Thrown inside the transcoder only, where a span or the request ends it: no Error, because a hostile body
 * may cost one a span.
 */
export class Defect {
  readonly reason: RejectReason
  /** A sentence without its full stop. */
  readonly message: string
  readonly position: number

  constructor(reason: RejectReason, message: string, position: number) {
    this.reason = reason
    this.message = message
    this.position = position
  }
}

// The defect that makes a span, or the envelope around it, impossible to accept.
import type { RejectReason } from '../rejection.ts'

/**
 * Thrown only inside the transcoder and caught per span or per request. It is not an Error, because a hostile body may cause
 * one per span.
 */
export class Defect {
  readonly reason: RejectReason
  /** A sentence without its period. */
  readonly message: string
  readonly position: number

  constructor(reason: RejectReason, message: string, position: number) {
    this.reason = reason
    this.message = message
    this.position = position
  }
}

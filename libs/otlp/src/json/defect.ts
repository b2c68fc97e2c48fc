// A defect that rejects a span or the whole request.
import type { RejectReason } from '../rejection.ts'

/**
 * The transcoder throws a Defect and catches it per span or per request. Defect is not an Error, because a hostile body can cause one
 * defect per span.
 */
export class Defect {
  readonly reason: RejectReason
  /** A sentence without the final period. */
  readonly message: string
  readonly position: number

  constructor(reason: RejectReason, message: string, position: number) {
    this.reason = reason
    this.message = message
    this.position = position
  }
}

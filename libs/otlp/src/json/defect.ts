import type { RejectReason } from '../rejection.ts'

/**
 * Code that finds a mistake in a span or a request throws a Defect. The class does not extend Error, because creating an Error is slow, and
 * a hostile body can cause a Defect for each of its spans.
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

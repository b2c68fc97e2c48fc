import type { RejectReason } from '../rejection.ts'

/**
 * A Defect is thrown for a span or request that is wrong. A Defect is not an Error: a hostile body can cause a Defect for each of its
 * spans, and creating an Error is slow.
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

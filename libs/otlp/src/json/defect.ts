import type { RejectReason } from '../rejection.ts'

/** Thrown and caught per span or request. Not an Error, because a hostile body can cause one defect per span. */
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

// A body, or a query, that its schema does not take.
import type { Issue } from './refusals.ts'

export class InvalidBody extends Error {
  override readonly name = 'InvalidBody'
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super('Invalid request data')
    this.issues = issues
  }
}

// A body, or a query, that its schema does not take.
import type { Issue } from './refusals.ts'

export class InvalidBody extends Error {
  override readonly name = 'InvalidBody'
  readonly issues: readonly Issue[]
  readonly of: 'body' | 'query'

  constructor(issues: readonly Issue[], of: 'body' | 'query' = 'body') {
    super('Invalid request data')
    this.issues = issues
    this.of = of
  }
}

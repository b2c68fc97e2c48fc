import type { Issue } from './refusals.ts'

export class InvalidBody extends Error {
  override readonly name = 'InvalidBody'
  readonly issues: readonly Issue[]
  readonly of: 'body' | 'query'
  /** Additional details, which only the structured form of errors shows. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(issues: readonly Issue[], of: 'body' | 'query' = 'body', details?: Readonly<Record<string, unknown>>) {
    super('Invalid request data')
    this.issues = issues
    this.of = of
    this.details = details
  }
}

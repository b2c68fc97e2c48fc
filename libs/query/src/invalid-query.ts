// An error in a query, which the caller must correct.

interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** `shape`: the value violates the parameter's schema. `request`: the query is well-formed but cannot run. */
export class InvalidQuery extends Error {
  override readonly name = 'InvalidQuery'
  readonly kind: 'shape' | 'request'
  readonly issues: readonly Issue[]

  constructor(kind: 'shape' | 'request', message: string, issues: readonly Issue[] = []) {
    super(message)
    this.kind = kind
    this.issues = issues
  }
}

export const badRequest = (message: string): InvalidQuery => new InvalidQuery('request', message)
export const badShape = (...issues: readonly Issue[]): InvalidQuery =>
  new InvalidQuery('shape', issues[0]?.message ?? 'Invalid request data', issues)

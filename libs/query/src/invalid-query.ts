// What a caller has to correct in a query.

interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** `shape`: not what the parameter's schema says, with its issues. `request`: well-formed, and not possible; the message says why. */
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

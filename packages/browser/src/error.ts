// The error of a failed call of the browser client.

interface Details {
  readonly status?: number | undefined
  readonly response?: unknown
  readonly errors?: unknown
  readonly originalError?: unknown
}

export class SvcBrowserError extends Error {
  /** Status of the response. */
  readonly status: number | undefined
  /** Body of the response: parsed JSON, or else text. */
  readonly response: unknown
  /** Why the service rejected the score. */
  readonly errors: unknown
  /** What fetch failed with. */
  readonly originalError: unknown

  constructor(message: string, details: Details = {}) {
    super(message)
    this.name = 'SvcBrowserError'
    this.status = details.status
    this.response = details.response
    this.errors = details.errors
    this.originalError = details.originalError
  }
}

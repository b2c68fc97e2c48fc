// The error that the browser client throws if a call fails.

interface Details {
  readonly status?: number | undefined
  readonly response?: unknown
  readonly errors?: unknown
  readonly originalError?: unknown
}

export class SvcBrowserError extends Error {
  /** Status of the response. */
  readonly status: number | undefined
  /** Response body: parsed JSON, or text if it is not JSON. */
  readonly response: unknown
  /** The reasons why the service rejected the score. */
  readonly errors: unknown
  /** The error with which `fetch` rejected. */
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

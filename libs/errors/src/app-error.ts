// The only type of errors in the workspace. The code of an error is the key of an entry in the catalog. Statuses, and whether retries help,
// are defined only in the catalog.
import { type ErrorCode, type ErrorDefinition, errors } from './catalog.ts'

export type ErrorParams = Readonly<Record<string, string | number | boolean | undefined>>

/** An expected failure, with a code that never changes. Any other value that is thrown is a bug and ends the process (architecture §10). */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly params: ErrorParams

  constructor(code: ErrorCode, message: string, params: ErrorParams = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.params = params
  }

  get definition(): ErrorDefinition {
    return errors[this.code]
  }

  /** A sentence that tells an operator what to do. Undefined if the message is sufficient. */
  get operatorHelp(): string | undefined {
    const { help, operatorHelp = help } = this.definition
    return operatorHelp ?? undefined
  }

  /**
   * The text for the response to a probe. Probes are not authenticated, so the text leaves out messages of the column store, which can
   * quote data of clients. Log lines contain the whole message.
   */
  get probeText(): string {
    const said = this.code.startsWith('column_store_') ? `${this.code}:` : this.message.replace(/\.?$/, '.')
    return this.operatorHelp === undefined ? said : `${said} ${this.operatorHelp}`
  }
}

export const isAppError = (error: unknown): error is AppError => error instanceof AppError

/** Returns the entry of the catalog for any value that was thrown. If the value is not an AppError, this is the entry `internal`. */
export const definitionOf = (error: unknown): ErrorDefinition => (isAppError(error) ? error.definition : errors.internal)

/** True if the same action can succeed later without a change by the caller. */
export const isRetryable = (error: unknown): boolean => {
  const kind = definitionOf(error).class
  return kind === 'transient' || kind === 'overload'
}

/**
 * Returns whole seconds for Retry-After: the value in the error, or a random value from the range of its code. Because the values are
 * random, clients that were rejected together do not all return together. Returns undefined if a retry does not help.
 */
export function retryAfterSeconds({ definition: { retryAfterMs }, params }: AppError): number | undefined {
  if (retryAfterMs === undefined) return undefined
  const [min, max] = retryAfterMs
  const ms = typeof params['retryAfterMs'] === 'number' ? params['retryAfterMs'] : min + Math.random() * (max - min)
  return Math.max(1, Math.ceil(ms / 1000))
}

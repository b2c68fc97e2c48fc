// One error type for the workspace. The error's code is the key of an entry in the catalog. Only the catalog defines statuses and whether
// retries help.
import { type ErrorCode, type ErrorDefinition, errors } from './catalog.ts'

export type ErrorParams = Readonly<Record<string, string | number | boolean | undefined>>

/** An expected failure with a stable code. Any other thrown value is a bug and ends the process (architecture §10). */
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

  /** A sentence that advises an operator what to do. Undefined when the message is sufficient. */
  get operatorHelp(): string | undefined {
    const { help, operatorHelp = help } = this.definition
    return operatorHelp ?? undefined
  }

  /**
   * Text for the response to a probe. Probes are unauthenticated, so the text omits messages of the column store, which can quote client
   * data. Log lines contain the full message.
   */
  get probeText(): string {
    const said = this.code.startsWith('column_store_') ? `${this.code}:` : this.message.replace(/\.?$/, '.')
    return this.operatorHelp === undefined ? said : `${said} ${this.operatorHelp}`
  }
}

export const isAppError = (error: unknown): error is AppError => error instanceof AppError

/** The catalog entry for any thrown value. The entry for a value that is not an AppError is `internal`. */
export const definitionOf = (error: unknown): ErrorDefinition => (isAppError(error) ? error.definition : errors.internal)

/** True when the same action can succeed later, without a change by the caller. */
export const isRetryable = (error: unknown): boolean => {
  const kind = definitionOf(error).class
  return kind === 'transient' || kind === 'overload'
}

/**
 * Whole seconds for Retry-After: the error's own value, or a random value from its range. Random values prevent clients that were rejected
 * together from returning together. Undefined when a retry does not help.
 */
export function retryAfterSeconds({ definition: { retryAfterMs }, params }: AppError): number | undefined {
  if (retryAfterMs === undefined) return undefined
  const [min, max] = retryAfterMs
  const ms = typeof params['retryAfterMs'] === 'number' ? params['retryAfterMs'] : min + Math.random() * (max - min)
  return Math.max(1, Math.ceil(ms / 1000))
}

// The workspace's only error type. The code is the key of the error's catalog entry.
import { type ErrorCode, type ErrorDefinition, errors } from './catalog.ts'

export type ErrorParams = Readonly<Record<string, string | number | boolean | undefined>>

/** An expected failure. Any other thrown value is a bug and ends the process (architecture §10). */
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

  /** Returns advice for an operator, or undefined if the message is sufficient. */
  get operatorHelp(): string | undefined {
    const { help, operatorHelp = help } = this.definition
    return operatorHelp ?? undefined
  }

  /** Probes are not authenticated. The text for a probe therefore omits messages of the column store, which can quote client data. */
  get probeText(): string {
    const said = this.code.startsWith('column_store_') ? `${this.code}:` : this.message.replace(/\.?$/, '.')
    return this.operatorHelp === undefined ? said : `${said} ${this.operatorHelp}`
  }
}

export const isAppError = (error: unknown): error is AppError => error instanceof AppError

/** Returns `internal` for a value other than an AppError. */
export const definitionOf = (error: unknown): ErrorDefinition => (isAppError(error) ? error.definition : errors.internal)

/** True if a retry can succeed later without a change by the caller. */
export const isRetryable = (error: unknown): boolean => {
  const kind = definitionOf(error).class
  return kind === 'transient' || kind === 'overload'
}

/**
 * Returns whole seconds for Retry-After: the error's own value, or a random value from the range of its code. Because the values are
 * random, clients that were rejected at the same time do not all return at the same time. Returns undefined if a retry does not help.
 */
export function retryAfterSeconds({ definition: { retryAfterMs }, params }: AppError): number | undefined {
  if (retryAfterMs === undefined) return undefined
  const [min, max] = retryAfterMs
  const ms = typeof params['retryAfterMs'] === 'number' ? params['retryAfterMs'] : min + Math.random() * (max - min)
  return Math.max(1, Math.ceil(ms / 1000))
}

// Converts errors to log fields. Only selected fields are copied, because errors of HTTP clients contain whole requests.
import { isAppError } from '@svc-server/errors'

export interface SerializedError {
  readonly type: string
  readonly code?: string
  readonly message: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly stack?: string
  readonly cause?: SerializedError
}

const maxStackCharacters = 4_000
const maxCauses = 4

const codeOf = (error: Error): string | undefined => {
  const code = (error as NodeJS.ErrnoException).code
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
}

/** Converts an error and at most four of its causes. */
export const serializeError = (thrown: unknown, depth = 0): SerializedError => {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
  const code = codeOf(thrown)
  const goesOn = thrown.cause !== undefined && depth < maxCauses
  return {
    type: thrown.name,
    ...(code === undefined ? {} : { code }),
    message: thrown.message,
    ...(isAppError(thrown) && Object.keys(thrown.params).length > 0 ? { params: thrown.params } : {}),
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack.slice(0, maxStackCharacters) }),
    ...(goesOn ? { cause: serializeError(thrown.cause, depth + 1) } : {}),
  }
}

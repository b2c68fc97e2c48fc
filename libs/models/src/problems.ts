// Reasons why a call returns no value. The set is fixed, so that callers need not interpret texts of providers.
import { isAppError } from '@svc-server/errors'

const problemReasons = [
  'address_refused',
  'authentication',
  'misconfigured',
  'not_found',
  'rate_limited',
  'redirected',
  'rejected',
  'response_invalid',
  'response_too_large',
  'timed_out',
  'unavailable',
  'unreachable',
] as const
export type ProblemReason = (typeof problemReasons)[number]

export interface Problem {
  readonly reason: ProblemReason
  /** Message for users, without secrets of the connection. */
  readonly message: string
  /** HTTP status of the provider's response. Absent if the provider did not respond. */
  readonly status?: number
}

export class CallProblem extends Error {
  override readonly name = 'CallProblem'
  readonly reason: ProblemReason

  constructor(reason: ProblemReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Yields the error and its chain of causes. The error of a retried call contains the failures of all attempts. After such an error, the
 * function continues with the last failure and leaves out the failures before it.
 */
function* chainOf(error: unknown): Generator<Error> {
  const seen = new Set<unknown>()
  for (let at = error; at instanceof Error && !seen.has(at); ) {
    seen.add(at)
    yield at
    const { lastError, cause } = at as { lastError?: unknown; cause?: unknown }
    at = lastError ?? cause
  }
}

function reasonOfStatus(status: number, message: string): ProblemReason {
  if (status === 401 || status === 403) return 'authentication'
  // Google responds to a wrong key with this status and message.
  if (status === 400 && /\bapi[ _]key\b/i.test(message)) return 'authentication'
  if (status === 404) return 'not_found'
  if (status === 408 || status >= 500) return 'unavailable'
  if (status === 429) return 'rate_limited'
  if (status >= 300 && status < 400) return 'redirected'
  return status >= 400 ? 'rejected' : 'response_invalid'
}

const ownMessages: Readonly<Partial<Record<ProblemReason, string>>> = {
  redirected: 'The address responds with a redirect, which is not followed.',
  response_invalid: 'The response does not have the form that this adapter expects.',
}

/** Errors are recognized by name, so that the AI SDK's module need not be loaded. */
const misconfigurations = /^AI_(LoadAPIKeyError|LoadSettingError|InvalidArgumentError|NoSuchModelError|UnsupportedFunctionalityError)$/
const withoutValue = /^AI_(NoObjectGeneratedError|NoOutputGeneratedError|JSONParseError|TypeValidationError|InvalidResponseDataError)$/

function problemIn(error: unknown): Problem {
  const chain = [...chainOf(error)]
  for (const each of chain) {
    if (each instanceof CallProblem) return { reason: each.reason, message: each.message }
    if (isAppError(each) && each.code === 'address_refused') return { reason: 'address_refused', message: each.message }
  }
  for (const each of chain) {
    const { statusCode } = each as { statusCode?: unknown }
    if (each.name === 'AI_APICallError' && typeof statusCode === 'number') {
      const reason = reasonOfStatus(statusCode, each.message)
      return { reason, message: ownMessages[reason] ?? each.message, status: statusCode }
    }
    if (withoutValue.test(each.name)) return { reason: 'response_invalid', message: 'The model returned no value of the requested schema.' }
    if (misconfigurations.test(each.name)) return { reason: 'misconfigured', message: each.message }
  }
  const why = chain.findLast(({ message }) => message !== '')?.message ?? 'the reason is unknown'
  return { reason: 'unreachable', message: `The provider cannot be reached: ${why}.` }
}

const maxMessage = 500
const control = /[\u0000-\u001f\u007f-\u009f]+/g

/** Replaces `secrets` in the error's message by `***`, because a provider can repeat secrets in its message. */
export function problemOf(error: unknown, secrets: readonly string[]): Problem {
  const { message, ...problem } = problemIn(error)
  let text = message
  for (const secret of secrets) text = text.replaceAll(secret, '***')
  const short = text.replace(control, ' ').trim().slice(0, maxMessage).toWellFormed()
  return { ...problem, message: short === '' ? 'The provider gave no reason.' : short }
}

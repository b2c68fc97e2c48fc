import { AppError } from '@svc-server/errors'
import { isDeeperThan, keepingDigits, NameTooLong, NumberTooLarge, parseJson as readJson } from '@svc-server/json'
import { InvalidBody } from './invalid-body.ts'
import { refused } from './refusals.ts'

/**
 * A number can have at most this many digits when it is written without an exponent. PostgreSQL writes all numbers without exponents. If a
 * number has more digits than this limit, PostgreSQL may refuse it.
 */
const maxDigits = 400

interface Numbers {
  /** If true, numbers keep all of their digits. Bodies with JSON that will be stored are parsed in this way. */
  readonly exact?: boolean
}

/** Throws InvalidBody for invalid JSON or too many nested levels, and AppError for invalid UTF-8. */
export function parseJson(body: Uint8Array, { exact = false }: Numbers = {}): unknown {
  if (isDeeperThan(body, maxJsonDepth)) throw new InvalidBody(refused(`The JSON is nested deeper than ${maxJsonDepth} levels.`, []))
  try {
    const text = decoder.decode(body)
    return readJson(text, exact ? keepingDigits(text, maxDigits) : undefined)
  } catch (error) {
    if (error instanceof NameTooLong || error instanceof NumberTooLarge) throw new InvalidBody(refused(error.message, []))
    if (error instanceof TypeError) throw new AppError('bad_request', 'The request body is not UTF-8.')
    throw new InvalidBody(refused('The request body is not JSON.', []))
  }
}

/** Maximum nesting. Real bodies have about a dozen levels. */
const maxJsonDepth = 100
const decoder = new TextDecoder('utf-8', { fatal: true })

import { expect, test } from 'vitest'
import { errors } from './catalog.ts'
import { AppError, type ErrorCode, retryAfterSeconds } from './index.ts'

test.each(Object.keys(errors) as ErrorCode[])('%s advises an operator without mentioning requests', code => {
  expect(new AppError(code, 'a message').operatorHelp ?? '').not.toMatch(
    /\b(send|retry-after|requests?|header|authorization|batches|content-type)\b/i,
  )
})

test('the help for an operator is the client’s help, a separate text, or none', () => {
  expect(new AppError('port_in_use', '').operatorHelp).toBe(errors.port_in_use.help)
  expect(new AppError('log_unavailable', '').operatorHelp).toContain('SVC_KAFKA_BROKERS')
  expect(new AppError('bad_request', '').operatorHelp).toBeUndefined()
})

test('every 429 and 503 has a Retry-After', () => {
  const codes = Object.keys(errors) as ErrorCode[]
  const busy = codes.filter(code => errors[code].http === 429 || errors[code].http === 503)
  expect(busy.filter(code => !((retryAfterSeconds(new AppError(code, 'a message')) ?? 0) >= 1))).toEqual([])
})

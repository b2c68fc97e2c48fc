// Every 429 and 503 must have Retry-After. This rule applies to the catalog's errors in every error format, and to responses of handlers.
import { AppError, type ErrorCode } from '@svc-server/errors'
import { errors } from '@svc-server/errors/catalog'
import { expect, test } from 'vitest'
import { errorAnswer, replyAnswer } from '../src/request/respond.ts'

const families = ['default', 'batch', 'structured', 'message', 'error', 'scim'] as const

test.each(families)('every 429 and 503 of the family %s has Retry-After', family => {
  const answers = (Object.keys(errors) as ErrorCode[]).map(code => ({ code, ...errorAnswer(new AppError(code, 'a message'), family) }))
  const busy = answers.filter(({ status }) => status === 429 || status === 503)
  expect(busy.map(({ status }) => status)).toEqual(expect.arrayContaining([429, 503]))
  expect(busy.filter(({ headers }) => !(Number(headers['retry-after']) >= 1)).map(({ code }) => code)).toEqual([])
})

test('replies of handlers have Retry-After, such as that of the health route', () => {
  expect(replyAnswer({ status: 503, body: { status: 'Database not available' } }).headers['retry-after']).toBe('1')
  expect(replyAnswer({ status: 503, body: {}, headers: { 'retry-after': '7' } }).headers['retry-after']).toBe('7')
  expect(replyAnswer({ status: 200, body: {} }).headers).not.toHaveProperty('retry-after')
})

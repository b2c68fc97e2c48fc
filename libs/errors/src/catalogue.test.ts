// What stands in the catalogue is read by two kinds of people: those who send requests, and those who run the services.
import { expect, test } from 'vitest'
import { errors } from './catalogue.ts'
import { AppError, type ErrorCode } from './index.ts'

test.each(Object.keys(errors) as ErrorCode[])('%s tells an operator nothing that is done with requests', code => {
  expect(new AppError(code, 'a message').operatorHelp ?? '').not.toMatch(
    /\b(send|retry-after|requests?|header|authorization|batches|content-type)\b/i,
  )
})

test('help for both is one sentence; an operator has another one, or none', () => {
  expect(new AppError('port_in_use', '').operatorHelp).toBe(errors.port_in_use.help)
  expect(new AppError('log_unavailable', '').operatorHelp).toContain('SVC_KAFKA_BROKERS')
  expect(new AppError('bad_request', '').operatorHelp).toBeUndefined()
})

// Every error must be mapped to an AppError, because any other error ends the process as a defect.
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { toAppError } from '../../src/kafka/failures.ts'

interface Broker {
  metadata(topics: readonly string[]): Promise<unknown>
  offsetFetch(of: object): Promise<unknown>
}
const Broker = createRequire(import.meta.url)('kafkajs/src/broker') as new (options: object) => Broker

test('a request before the connection counts as a broker that does not respond', async () => {
  const broker = new Broker({ connectionPool: {}, logger: { namespace: () => ({}) } })
  for (const asked of [broker.metadata(['spans']), broker.offsetFetch({ groupId: 'svc.writer', topics: [] })]) {
    const error = await asked.catch((reason: unknown) => reason)
    expect(toAppError(error, 'Asking')).toMatchObject({ code: 'log_unavailable', message: 'Asking failed: Broker not connected.' })
  }
})

test('a defect stays a defect', () => {
  const defect = new TypeError('x is not a function')
  expect(toAppError(defect, 'Asking')).toBe(defect)
  expect(toAppError(new Error('wrapped', { cause: defect }), 'Asking')).toBe(defect)
})

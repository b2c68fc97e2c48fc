import { waitFor } from '@svc-server/dev-servers'
import { AppError } from '@svc-server/errors'
import { expect, test } from 'vitest'
import { createHealth } from '../src/health/index.ts'
import { createPatientStart, type Opening } from '../src/lifecycle/index.ts'
import { createLogger } from '../src/logs/index.ts'

const logger = createLogger({ service: 'test', level: 'silent' })
const down = () => new AppError('log_unavailable', 'No broker answers.')

function patient(open: (opening: Opening) => Promise<void>) {
  const health = createHealth()
  const refused: unknown[] = []
  const service = createPatientStart({
    name: 'a service',
    health,
    logger,
    open,
    onRefused: error => refused.push(error),
    firstPauseMs: 1,
    maxPauseMs: 5,
  })
  return { health, refused, service, ready: async () => (await health.evaluate('ready')).status === 200 }
}

test('waits for a store that is down: the process is live but not ready, and reports the reason', async () => {
  let tries = 0
  const mended = Promise.withResolvers<void>()
  const closed: string[] = []
  const { health, service, ready } = patient(async ({ reach, onClose }) => {
    onClose(async () => closed.push('first'))
    await reach('The event log', async () => {
      tries += 1
      if (tries < 4) throw down()
      if (tries === 4) await mended.promise
    })
    onClose(async () => closed.push('second'))
  })
  await service.start()
  await waitFor(() => tries === 4, { what: 'three tries that fail' })
  expect((await health.evaluate('live')).status).toBe(200)
  expect((await health.evaluate('ready')).body.checks).toEqual({
    'a service: stores': { ok: false, reason: 'The event log cannot be reached: No broker answers.' },
  })
  mended.resolve()
  await waitFor(ready, { what: 'the service to be ready' })
  await service.drain()
  expect(closed).toEqual(['second', 'first'])
})

test('reports at once a failure that waiting cannot solve', async () => {
  const wrong = new AppError('config_invalid', 'Topic svc.spans.direct is missing.')
  let tries = 0
  const { refused, service, ready } = patient(({ reach }) =>
    reach('The event log', async () => {
      tries += 1
      throw wrong
    }),
  )
  await service.start()
  await waitFor(() => refused.length > 0, { what: 'the refusal' })
  expect([refused, tries, await ready()]).toEqual([[wrong], 1, false])
})

test('a stop signal ends the wait and closes opened stores', async () => {
  let closed = false
  let tries = 0
  const { refused, service } = patient(async ({ reach, onClose }) => {
    onClose(async () => {
      closed = true
    })
    await reach('The event log', async () => {
      tries += 1
      throw down()
    })
  })
  await service.start()
  await waitFor(() => tries > 2, { what: 'some tries' })
  await service.drain()
  expect([closed, refused]).toEqual([true, []])
})

test('closes all other parts when one fails to close', async () => {
  let closed = false
  const { service, ready } = patient(async ({ onClose }) => {
    onClose(async () => {
      closed = true
    })
    onClose(() => Promise.reject(new Error('stuck')))
  })
  await service.start()
  await waitFor(ready, { what: 'the service to be ready' })
  await expect(service.drain()).rejects.toThrow('stuck')
  expect(closed).toBe(true)
})

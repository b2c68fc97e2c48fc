import { AppError } from '@svc-server/errors'
import { expect, test, vi } from 'vitest'
import { createHealth } from '../src/health/health.ts'
import { createPatientStart } from '../src/lifecycle/patient-start.ts'
import { startAnew } from '../src/lifecycle/start-anew.ts'
import { createLogger } from '../src/logs/logger.ts'

const logger = createLogger({ service: 'test', level: 'silent' })
const moved = () => new AppError('log_unavailable', 'This server is not the leader for that topic-partition.')

/** Records the events in the order in which they happen. Each start fails with the next element of `failures` until the list is empty. */
function world(failures: readonly unknown[]) {
  const happened: string[] = []
  const refused: unknown[] = []
  let number = 0
  const create = async () => {
    const mine = ++number
    happened.push(`create ${mine}`)
    return {
      async start() {
        happened.push(`start ${mine}`)
        const failure = failures[mine - 1]
        if (failure !== undefined) throw failure
      },
      async drain() {
        happened.push(`drain ${mine}`)
        if (mine === 2) throw new Error('it had not begun')
      },
    }
  }
  const health = createHealth()
  const service = createPatientStart({
    ...{ name: 'test', health, logger, firstPauseMs: 1, maxPauseMs: 2 },
    onRefused: error => refused.push(error),
    async open({ reach, onClose }) {
      const made = await reach('The log', () => startAnew(create, logger))
      onClose(() => made.drain())
    },
  })
  return { service, health, happened, refused }
}

test('recreates and restarts a service after a transient failure of a store', async () => {
  const { service, health, happened, refused } = world([moved(), moved()])
  await service.start()
  await vi.waitFor(async () => expect((await health.evaluate('ready')).status).toBe(200))
  await service.drain()
  expect(happened).toEqual([
    ...['create 1', 'start 1', 'drain 1'],
    ...['create 2', 'start 2', 'drain 2'],
    ...['create 3', 'start 3', 'drain 3'],
  ])
  expect(refused).toEqual([])
})

test('reports a failure that a retry cannot solve, and drains the service', async () => {
  const defect = new Error('a defect')
  const { service, happened, refused } = world([defect])
  await service.start()
  await expect.poll(() => refused).toHaveLength(1)
  await service.drain()
  expect([refused, happened]).toEqual([[defect], ['create 1', 'start 1', 'drain 1']])
})

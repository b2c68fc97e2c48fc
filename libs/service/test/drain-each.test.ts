import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { drainEach } from '../src/lifecycle/index.ts'
import { createLogger } from '../src/logs/index.ts'

function setup() {
  const events: string[] = []
  const lines: string[] = []
  const output = new PassThrough()
  output.on('data', chunk => lines.push(String(chunk)))
  const logger = createLogger({ service: 'test', destination: output })
  const service = (name: string, drain: () => Promise<unknown> = async () => undefined) => ({
    name,
    drain: async () => {
      events.push(`${name} begins`)
      await drain()
      events.push(`${name} ends`)
    },
  })
  return { events, said: (key: string, name: string) => lines.join('').includes(`"${key}":"${name}"`), logger, service }
}

const never = () => new Promise(() => undefined)

test('drains services one after the other, the last one first', async () => {
  const { events, logger, service } = setup()
  const later = () => new Promise(resolve => setImmediate(resolve))
  expect(await drainEach([service('log'), service('writer', later), service('gateway', later)], { graceMs: 30_000, logger })).toBe(true)
  expect(events).toEqual(['gateway begins', 'gateway ends', 'writer begins', 'writer ends', 'log begins', 'log ends'])
})

test('services that hang are named as late and do not keep others from draining', async () => {
  const names = ['writer', 'propagator', 'gateway']
  for (const hanging of [['gateway'], ['propagator'], ['writer'], ['gateway', 'propagator'], names]) {
    const { events, said, logger, service } = setup()
    const services = names.map(name => service(name, hanging.includes(name) ? never : undefined))
    expect(await drainEach(services, { graceMs: 30, logger })).toBe(false)
    for (const name of names) {
      expect([name, events.includes(`${name} ends`)]).toEqual([name, !hanging.includes(name)])
      expect([name, said('late', name)]).toEqual([name, hanging.includes(name)])
    }
  }
})

test('a slow service drains in parallel with the next ones and is not late', async () => {
  const { events, said, logger, service } = setup()
  const isDrained = Promise.withResolvers<void>()
  const first = service('writer', async () => isDrained.resolve())
  // The drain of the gateway cannot end before the drain of the writer has begun.
  const slow = service('gateway', () => isDrained.promise)
  expect(await drainEach([first, slow], { graceMs: 2_000, logger })).toBe(true)
  expect(events.toSorted()).toEqual(['gateway begins', 'gateway ends', 'writer begins', 'writer ends'])
  expect([said('slow', 'gateway'), said('late', 'gateway')]).toEqual([true, false])
})

test('a drain that rejects or throws does not keep others from draining', async () => {
  const { events, said, logger, service } = setup()
  const throwing = {
    name: 'gateway',
    drain(): Promise<void> {
      throw new Error('at once')
    },
  }
  const failing = service('propagator', () => Promise.reject(new Error('no commit')))
  expect(await drainEach([service('writer'), failing, throwing], { graceMs: 30_000, logger })).toBe(false)
  expect(events).toEqual(['propagator begins', 'writer begins', 'writer ends'])
  expect([said('failed', 'gateway'), said('failed', 'propagator')]).toEqual([true, true])
})

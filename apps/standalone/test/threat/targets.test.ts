// Tests F52. A client without credentials sends random bytes. Every port must respond or close the connection, and every process must
// continue.
import { join } from 'node:path'
import { type Address, exchangeRaw, type TemporaryDirectory } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instanceDirectory } from '../directory.ts'
import { freePorts, type Instance, ready, startInstance } from '../instance.ts'
import { garbage, requests } from './raw-requests.ts'

let directory: TemporaryDirectory
let instance: Instance
let enginePid: number
beforeAll(async () => {
  directory = await instanceDirectory()
  instance = await ready(startInstance(directory.path, await freePorts()))
  enginePid = instance.enginePid()
})
afterAll(async () => {
  await instance.end('SIGKILL')
  await directory.remove()
})

const places = ['PORT', 'SVC_OTLP_PORT', 'SVC_WORKER_PORT', 'COLUMNSTORE_PORT', 'the command socket'] as const
const addressOf = (place: (typeof places)[number]): Address =>
  place === 'the command socket' ? { path: join(directory.path, 'svc.sock') } : { host: '127.0.0.1', port: instance.ports[place] }
const hostOf = (address: Address) => ('port' in address ? `127.0.0.1:${address.port}` : 'svc')
const healthPath: Readonly<Record<(typeof places)[number], string>> = {
  PORT: '/api/public/health',
  SVC_OTLP_PORT: '/api/public/health',
  SVC_WORKER_PORT: '/api/health',
  COLUMNSTORE_PORT: '/ping',
  'the command socket': '/',
}

async function serves(place: (typeof places)[number]): Promise<void> {
  const address = addressOf(place)
  const { status } = await exchangeRaw(
    address,
    `GET ${healthPath[place]} HTTP/1.1\r\nHost: ${hostOf(address)}\r\nConnection: close\r\n\r\n`,
  )
  expect([place, status]).toEqual([place, place === 'the command socket' ? 405 : 200])
}

async function goesOn(): Promise<void> {
  for (const place of places) await serves(place)
  expect(instance.ended()).toBe(false)
  expect(instance.enginePid()).toBe(enginePid)
  expect(await instance.count('SELECT count() AS n FROM events_full')).toBe(0)
}

describe.each(places)('F52 · %s', place => {
  test('a target of two slashes is refused, and the next request is served', async () => {
    const address = addressOf(place)
    const { status } = await exchangeRaw(address, `GET // HTTP/1.1\r\nHost: ${hostOf(address)}\r\n\r\n`)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    await serves(place)
  })

  test('every request gets a response or a closed connection, never a defect', async () => {
    const address = addressOf(place)
    const property = fc.asyncProperty(fc.array(requests(hostOf(address)), { minLength: 8, maxLength: 8 }), async batch => {
      const answers = await Promise.all(batch.map(async text => ({ text, ...(await exchangeRaw(address, Buffer.from(text, 'latin1'))) })))
      expect(answers.filter(({ end, status }) => end === 'silent' || status === 500)).toEqual([])
    })
    await fc.assert(property, { numRuns: 25 })
    await goesOn()
  })

  test('garbage at any position ends no process', async () => {
    const address = addressOf(place)
    const property = fc.asyncProperty(fc.array(garbage(hostOf(address)), { minLength: 16, maxLength: 16 }), async batch => {
      // The server waits for the rest of an incomplete request until a timeout. The client disconnects earlier.
      await Promise.all(batch.map(bytes => exchangeRaw(address, bytes, 30)))
    })
    await fc.assert(property, { numRuns: 15 })
    await goesOn()
  })
})

test('no request was a defect', () => {
  expect(instance.output()).not.toMatch(/defect/i)
})

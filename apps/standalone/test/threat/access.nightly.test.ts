// Measures a neighbor's response times on an idle instance and while other clients attack (F53).
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorization, freePorts, type Instance, publicKey, ready, startInstance } from '../instance.ts'
import { type Announced, announce, attackerAddress, basic, createBodies, createClient, createNeighbor, neighborAddress } from './clients.ts'

let directory: TemporaryDirectory
let instance: Instance
let neighbor: string
const body = createBodies('nightly')

beforeAll(async () => {
  directory = await temporaryDirectory()
  instance = await ready(startInstance(directory.path, await freePorts()))
  neighbor = (await createNeighbor(directory.path, 'neighbor')).authorization
})
afterAll(async () => {
  await instance?.end('SIGKILL')
  await directory.remove()
})

/** Measures the response times. The first half second warms up the connections and is not measured. */
async function measure(seconds: number): Promise<{ readonly p50: number; readonly p99: number }> {
  const client = createClient(instance, neighborAddress, 8)
  const all: Promise<{ readonly status: number; readonly ms: number }>[] = []
  for (let i = 0; i < seconds * 20; i++) {
    const reply = client.post(neighbor, body())
    if (i >= 10) all.push(reply)
    await sleep(50)
  }
  const replies = await Promise.all(all)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  client.close()
  const times = replies.map(({ ms }) => ms).sort((a, b) => a - b)
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

async function under(attack: (i: number) => Promise<unknown>, seconds = 15): Promise<{ readonly p50: number; readonly p99: number }> {
  const running = new Set<Promise<unknown>>()
  let i = 0
  const timer = setInterval(() => {
    for (let n = 0; n < 15; n++) {
      const attempt: Promise<unknown> = attack(i++)
        .catch(() => {})
        .finally(() => running.delete(attempt))
      running.add(attempt)
    }
  }, 50)
  const times = await measure(seconds)
  clearInterval(timer)
  await Promise.all(running)
  return times
}

test.each([
  ['wrong secrets for a known public key', (i: number) => basic(publicKey, `sk-svc-wrong-${i}`)],
  ['keys that nobody has', (i: number) => basic(`pk-${i}`, `sk-svc-wrong-${i}`)],
])('300 %s a second from 50 connections', async (_, credential) => {
  const attacker = createClient(instance, attackerAddress, 50)
  const rest = await measure(10)
  const flooded = await under(i => attacker.post(credential(i), new Uint8Array()))
  attacker.close()
  expect(flooded.p99).toBeLessThan(1_500)
  expect(flooded.p50).toBeLessThan(Math.max(2 * rest.p50, 60))
})

test('a neighbor is served during announced bodies, slow bodies and 50 connections that scrape', async () => {
  const rest = await measure(10)
  const announced: Announced[] = []
  for (let i = 0; i < 200; i++) announced.push(await announce(instance, authorization, i % 2 === 0 ? '' : '{'))
  const dribble = setInterval(() => {
    for (const [i, { socket }] of announced.entries()) if (i % 2 === 1 && !socket.destroyed) socket.write(' ')
  }, 100)
  const scraper = createClient(instance, attackerAddress, 50)
  const attacked = await under(() => scraper.get(instance.ports.SVC_WORKER_PORT, '/metrics'))
  clearInterval(dribble)
  scraper.close()
  for (const { socket } of announced) socket.destroy()
  expect(attacked.p99).toBeLessThan(1_500)
  expect(attacked.p50).toBeLessThan(Math.max(2 * rest.p50, 60))
})

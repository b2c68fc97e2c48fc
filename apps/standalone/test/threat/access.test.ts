// Tests F53. An attacker sends incomplete bodies and wrong keys, opens connections, and scrapes metrics. Meanwhile, the server must serve
// another project (the neighbor).
import { loadSettings } from '@svc-server/service/configuration'
import { type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { standaloneProblems, standaloneSettings } from '../../src/settings.ts'
import { instanceDirectory } from '../directory.ts'
import { authorization, freePorts, type Instance, type Ports, publicKey, ready, startInstance } from '../instance.ts'
import {
  type Announced,
  announce,
  attackerAddress,
  basic,
  type Client,
  command,
  createBodies,
  createClient,
  createNeighbor,
  metricOf,
  neighborAddress,
} from './clients.ts'

let directory: TemporaryDirectory
let ports: Ports
let instance: Instance
let neighbor: { readonly authorization: string; readonly publicKey: string }
let client: Client
const body = createBodies('neighbor')
const announced: Announced[] = []
const maxPerAddress = 120

beforeAll(async () => {
  directory = await instanceDirectory()
  ports = await freePorts()
  instance = await ready(startInstance(directory.path, ports, { SVC_MAX_CONNECTIONS_PER_ADDRESS: String(maxPerAddress) }))
  neighbor = await createNeighbor(directory.path, 'neighbor')
  client = createClient(instance, neighborAddress, 4)
})
afterAll(async () => {
  client?.close()
  for (const { socket } of announced) socket.destroy()
  await instance?.end('SIGKILL')
  await directory.remove()
})

const isServed = async () => expect(await client.post(neighbor.authorization, body())).toMatchObject({ status: 200 })

test('announced and slowly sent bodies block nothing: the neighbor and the project itself are served', async () => {
  for (let i = 0; i < 40; i++) announced.push(await announce(instance, authorization, i % 2 === 0 ? '' : '{'))
  await waitFor(async () => (await metricOf(instance, 'svc_gateway_inflight_requests')) >= 40, { what: 'the requests' })
  expect(await metricOf(instance, 'svc_gateway_inflight_bytes')).toBeLessThanOrEqual(20)
  await isServed()
  expect(await client.post(authorization, body())).toMatchObject({ status: 200 })
})

test('300 wrong secrets for a known public key from 50 connections cause only a few queries, and a neighbor is served, cached or new', async () => {
  const attacker = createClient(instance, attackerAddress, 30)
  const asked = () => metricOf(instance, 'svc_gateway_authentications_total', { outcome: 'miss' })
  const before = await asked()
  const statuses = new Map<number, number>()
  const guess = async (i: number) => {
    const { status, retryAfter } = await attacker.post(basic(publicKey, `sk-svc-wrong-${i}`), new Uint8Array())
    if (status === 429) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const flood = Promise.all(Array.from({ length: 300 }, (_, i) => guess(i)))
  await isServed()
  const firstSeen = await createNeighbor(directory.path, 'first-seen')
  expect(await client.post(firstSeen.authorization, body())).toMatchObject({ status: 200 })
  await flood
  expect([...statuses.keys()].every(status => status === 401 || status === 429)).toBe(true)
  // After five look-ups of the attacked key, the server refuses each further look-up of this key until a wait has passed. Besides
  // look-ups of the attacked key, the increase of the metric includes at most two look-ups of the neighbors' keys.
  expect((await asked()) - before).toBeLessThan(20)
  expect(await attacker.post(authorization, body())).toMatchObject({ status: 200 })
  attacker.close()
})

test('300 unknown keys from 50 connections leave a slot for a neighbor’s first look-up', async () => {
  const attacker = createClient(instance, attackerAddress, 50)
  const statuses = new Set<number>()
  const flood = Promise.all(
    Array.from({ length: 300 }, async (_, i) =>
      statuses.add((await attacker.post(basic(`pk-${i}`, `sk-svc-wrong-${i}`), new Uint8Array())).status),
    ),
  )
  const firstSeen = await createNeighbor(directory.path, 'second-seen')
  expect(await client.post(firstSeen.authorization, body())).toMatchObject({ status: 200 })
  await isServed()
  await flood
  expect([...statuses].every(status => status === 401 || status === 429)).toBe(true)
  attacker.close()
})

test('connections above the limit of an address get an error, and the neighbor connects', async () => {
  const more: Announced[] = []
  const open = async () => void more.push(await announce(instance, authorization))
  const told = () => more.filter(each => each.received().startsWith('HTTP/1.1 429')).length
  for (let i = 0; i < maxPerAddress + 20; i++) await open()
  // On a slow machine, the server closes the first connection before the test has opened the last connection, and refuses fewer than 20
  // connections. The test then opens more connections until the server has refused 20.
  await waitFor(
    async () => {
      if (told() < 20) await open()
      return told() >= 20
    },
    { what: 'the refusals' },
  )
  const fresh = createClient(instance, neighborAddress, 1)
  expect(await fresh.post(neighbor.authorization, body())).toMatchObject({ status: 200 })
  fresh.close()
  for (const { socket } of more) socket.destroy()
  expect(await metricOf(instance, 'svc_gateway_refused_connections_total', { limit: 'address' })).toBeGreaterThanOrEqual(20)
})

test('50 connections that scrape delay no client; those within the limit of their address get the page, and all others are refused', async () => {
  const scraper = createClient(instance, attackerAddress, 50)
  const scrapes = Promise.all(Array.from({ length: 200 }, () => scraper.get(ports.SVC_WORKER_PORT, '/metrics')))
  for (let i = 0; i < 5; i++) await isServed()
  const statuses = (await scrapes).map(({ status }) => status)
  expect(statuses.filter(status => ![200, 429, 503].includes(status))).toEqual([])
  expect(statuses).toContain(200)
  scraper.close()
})

test.each(['', 'a/../b', 'a b', '../x'])('%j is no id of a project, by command or by variable', async id => {
  if (id !== '') {
    const load = () =>
      loadSettings(standaloneSettings, { SVC_INIT_PROJECT_ID: id }, { service: 'standalone', validate: standaloneProblems })
    expect(load).toThrow(/SVC_INIT_PROJECT_ID=.*letters, digits, - and _/)
  }
  const made = await command(directory.path, 'keys', 'create-project', '--organization', 'default-org', '--name', 'x', '--id', id)
  expect([made.code, made.out]).toEqual([1, expect.stringContaining('letters, digits, - and _')])
})

test('a key that a command revokes is refused immediately', async () => {
  const { authorization: key, publicKey: revoked } = await createNeighbor(directory.path, 'revoked')
  expect(await client.post(key, body())).toMatchObject({ status: 200 })
  expect((await command(directory.path, 'keys', 'revoke', revoked)).code).toBe(0)
  expect(await client.post(key, body())).toMatchObject({ status: 401 })
})

test('a client that announced a body and sent none got a 408, every span of the neighbor is a row, and the process is the same', async () => {
  await waitFor(() => announced.every(each => each.received().startsWith('HTTP/1.1 408')), { what: 'the refusals' })
  const accepted = await metricOf(instance, 'svc_gateway_spans_total', { outcome: 'accepted' })
  const stored = async () => (await instance.count('SELECT count() AS n FROM events_full FINAL')) === accepted
  await waitFor(stored, { what: 'the rows' })
  expect(accepted).toBeGreaterThan(10)
  expect(instance.ended()).toBe(false)
})

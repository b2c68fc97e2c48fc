// Tests F50: a small request that becomes large rows.
import { request } from 'node:http'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createSpanGenerator, inNightly, processCpuMs, sized, type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from '../directory.ts'
import { authorization, freePorts, type Instance, ready, startInstance, svc } from '../instance.ts'
import { amplifiedRequest, type Shape, soundSpans } from './amplified-request.ts'

const MiB = 1024 * 1024
const compressors = { identity: (body: Buffer) => body, gzip: gzipSync, zstd: zstdCompressSync, deflate: deflateSync } as const

let directory: TemporaryDirectory
let instance: Instance
let neighbor: string
let neighborSpans = 0
let storedOfAttacker = 0
beforeAll(async () => {
  directory = await instanceDirectory()
  const ports = await freePorts()
  instance = await ready(startInstance(directory.path, ports))
  const keys = async (...argv: string[]) => JSON.parse((await svc(directory.path, ports, 'keys', ...argv, '--json')).out)
  await keys('create-project', '--organization', 'default-org', '--name', 'neighbor', '--id', 'neighbor')
  const { publicKey, secretKey } = await keys('create', '--project', 'neighbor')
  neighbor = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
})
afterAll(async () => {
  await instance.end('SIGKILL')
  await directory.remove()
})

interface Answer {
  readonly status: number
  readonly text: string
}

function send(body: Buffer, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/x-protobuf', 'content-length': body.length, 'x-svc-ingestion-version': '4', ...headers }
    const sent = request(instance.tracesUrl, { method: 'POST', headers: all }, response => {
      let text = ''
      response.on('data', chunk => (text += chunk.toString('latin1'))).on('end', () => resolve({ status: response.statusCode!, text }))
    })
    sent.on('error', reject).end(body)
  })
}

const attack = (shape: Shape, compression: keyof typeof compressors, version = '4') =>
  send(compressors[compression](amplifiedRequest(shape)), {
    authorization,
    'content-encoding': compression,
    'x-svc-ingestion-version': version,
  })

const rowsOf = (project: string) =>
  instance.count(`SELECT uniqExact(trace_id, span_id) AS n FROM events_full WHERE project_id = '${project}'`)
const storedWithin = async (project: string, spans: number) =>
  waitFor(async () => (await rowsOf(project)) >= spans, { what: `${spans} spans of ${project}` })

async function neighborIsServed(): Promise<void> {
  const { protobuf, spans } = createSpanGenerator({ seed: neighborSpans, startTimeMs: Date.now(), spansPerRequest: 5 }).next()
  const { status } = await send(Buffer.from(protobuf), { authorization: neighbor })
  expect(status).toBe(200)
  neighborSpans += spans.length
  await storedWithin('neighbor', neighborSpans)
}

const base: Shape = { resourceBytes: 0, scopeBytes: 0, form: 'text', spans: 1, spanBytes: 0, spansPerTrace: 1, badEvery: 0 }

test('F50 · a request that can never be stored is refused permanently, cheaply, and with a suggestion', async () => {
  const attacks: readonly (readonly [version: string, shape: Partial<Shape>])[] = [
    ['4', { resourceBytes: 60 * MiB, spans: 16 }],
    ['4', { resourceBytes: 9 * MiB, spans: 2500, badEvery: 2500 }],
    ['3', { resourceBytes: MiB, spans: 20_000 }],
    ['3', { spans: 25_000 }],
    ['4', { spans: 140_000 }],
  ]
  for (const [version, shape] of attacks) {
    const before = processCpuMs(instance.process.pid!)
    const answer = await attack({ ...base, ...shape }, 'gzip', version)
    expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('Send fewer') })
    // If the gateway did not refuse this request, the request would take 13 s.
    expect(processCpuMs(instance.process.pid!) - before).toBeLessThan(5000)
  }
  await neighborIsServed()
})

test('F50 · a large batch of a collector is stored completely', async () => {
  const { status, text } = await attack({ ...base, resourceBytes: 16 * 1024, spans: 8192, spansPerTrace: 40 }, 'gzip')
  expect([status, text]).toEqual([200, ''])
  storedOfAttacker += 8192
  await neighborIsServed()
  await storedWithin('default-project', storedOfAttacker)
})

const shape: fc.Arbitrary<Shape> = fc.record({
  resourceBytes: fc.constantFrom(0, 1000, 100_000, 2 * MiB),
  scopeBytes: fc.constantFrom(0, 5000, MiB),
  form: fc.constantFrom('text', 'attributes', 'nested', 'escaped'),
  spans: fc.constantFrom(1, 7, 60, 1500),
  spanBytes: fc.constantFrom(0, 500),
  spansPerTrace: fc.constantFrom(1, 3, 1000),
  badEvery: fc.constantFrom(0, 2, 50),
})

test('F50 · a request of any shape and encoding is stored, rejected in part, or refused permanently, and the neighbor is served', async () => {
  const encoding = fc.constantFrom(...(Object.keys(compressors) as (keyof typeof compressors)[]))
  await fc.assert(
    fc.asyncProperty(shape, encoding, async (given, compression) => {
      const { status } = await attack(given, compression)
      expect([200, 413]).toContain(status)
      if (status === 200) storedOfAttacker += soundSpans(given)
      // Seven spans of the maximum size are together still below the limit.
      if (given.spans <= 7) expect(status).toBe(200)
    }),
    { numRuns: sized(30, 3) },
  )
  await neighborIsServed()
  await storedWithin('default-project', storedOfAttacker)
  expect(await rowsOf('default-project')).toBe(storedOfAttacker)
})

inNightly(() =>
  test('F50 · after a restart during such requests, every span with a 200 is stored', async () => {
    const shapes: readonly Shape[] = [
      { ...base, resourceBytes: 20 * MiB, spans: sized(6, 2) },
      { ...base, resourceBytes: 10_000, spans: sized(6000, 2000) },
    ]
    for (const each of shapes) {
      expect((await attack(each, 'zstd')).status).toBe(200)
      storedOfAttacker += each.spans
    }
    await instance.end('SIGKILL')
    instance = await ready(startInstance(directory.path, instance.ports))
    await neighborIsServed()
    await storedWithin('default-project', storedOfAttacker)
    expect(await rowsOf('default-project')).toBe(storedOfAttacker)
  }),
)

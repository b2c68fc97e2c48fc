// Measures how much one project's flood delays another project in the standalone (F26).
import { quantile, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts, type Instance, ready, startInstance } from '../instance.ts'
import { createNeighbor, probe, probeUnderFlood, startFlood } from './neighbor.ts'
import { timesToRow } from './readable.ts'

let directory: TemporaryDirectory
let instance: Instance
let neighbor: string
beforeAll(async () => {
  directory = await temporaryDirectory()
  const ports = await freePorts()
  instance = await ready(startInstance(directory.path, ports, { SVC_LOG_LEVEL: 'warn' }))
  neighbor = await createNeighbor(directory.path, ports)
  await probe(instance, neighbor, 'warm', 3)
}, 120_000)
afterAll(async () => {
  await instance.end('SIGINT')
  await directory.remove()
}, 60_000)

test.each(['batches', 'small', 'json', 'staged', 'large'])(
  'F26 · a flood of %s: the neighbor’s p99 is below 1.5 s, and its median within 20 times the idle one',
  async kind => {
    const idle = await probe(instance, neighbor, `idle ${kind}`, 10)
    const { flooded, answers } = await probeUnderFlood(instance, neighbor, { kind, connections: 16, seconds: 10 })
    expect(Number(answers['200'])).toBeGreaterThan(0)
    expect(flooded.p99Ms).toBeLessThan(1500)
    expect(flooded.p50Ms).toBeLessThan(Math.max(60, 20 * idle.p50Ms))
  },
  120_000,
)

test.each(['maps', 'prompts', 'tokens', 'numbers'])(
  'F26 · a flood of %s, which are dear to map: nine of ten of the neighbor’s spans are rows within 5 seconds',
  async kind => {
    const flood = await startFlood(instance, kind, 8)
    const times = await timesToRow(instance, neighbor, 15)
    expect(Number((await flood.stop())['200'])).toBeGreaterThan(0)
    expect(times.length).toBeGreaterThan(10)
    expect(quantile(times, 0.9)).toBeLessThan(5000)
  },
  180_000,
)

// Creates a second project in a standalone, measures its response times, and floods the first project.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createSpanGenerator, quantile } from '@svc-server/testkit'
import { authorization, type Instance, type Ports, svc } from '../instance.ts'
import { sendAll } from '../sender.ts'

export interface Times {
  readonly requests: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Sends requests of 10 spans, with a pause after each request. */
export async function probe(instance: Instance, neighbor: string, seed: string, seconds: number): Promise<Times> {
  const generator = createSpanGenerator({ seed, startTimeMs: Date.now() - 1000, spansPerRequest: 10 })
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const requests = [generator.next()]
    const startedAt = performance.now()
    await sendAll({ url: instance.tracesUrl, requests, concurrency: 1, headers: { authorization: neighbor } })
    times.push(performance.now() - startedAt)
    await new Promise(resume => setTimeout(resume, 5))
  }
  times.sort((a, b) => a - b)
  return {
    requests: times.length,
    p50Ms: quantile(times, 0.5),
    p90Ms: quantile(times, 0.9),
    p99Ms: quantile(times, 0.99),
    maxMs: times.at(-1)!,
  }
}

export async function createNeighbor(directory: string, ports: Ports): Promise<string> {
  const keys = async (...argv: string[]): Promise<unknown> => {
    const { out, error, code } = await svc(directory, ports, 'keys', ...argv, '--json')
    if (code !== 0) throw new Error(error)
    return JSON.parse(out)
  }
  const [first] = (await keys('projects')) as { orgId: string }[]
  await keys('create-project', '--organization', first!.orgId, '--name', 'neighbor', '--id', 'neighbor')
  const pair = (await keys('create', '--project', 'neighbor')) as { publicKey: string; secretKey: string }
  return `Basic ${Buffer.from(`${pair.publicKey}:${pair.secretKey}`).toString('base64')}`
}

export interface Flood {
  readonly kind: string
  readonly connections: number
  readonly seconds: number
}

export interface StartedFlood {
  stop(): Promise<Readonly<Record<string, number>>>
}

export async function startFlood(instance: Instance, kind: string, connections: number): Promise<StartedFlood> {
  const flood = fork(new URL('../../bench/flooder.ts', import.meta.url), [instance.tracesUrl, authorization, kind, String(connections)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  await once(flood, 'message')
  return {
    async stop() {
      const answered = once(flood, 'message')
      flood.send('stop')
      const [{ answers }] = (await answered) as [{ answers: Readonly<Record<string, number>> }]
      return answers
    },
  }
}

export async function probeUnderFlood(instance: Instance, neighbor: string, { kind, connections, seconds }: Flood) {
  const flood = await startFlood(instance, kind, connections)
  await probe(instance, neighbor, `ramp ${kind}`, 2)
  const flooded = await probe(instance, neighbor, `flooded ${kind}`, seconds)
  return { flooded, answers: await flood.stop() }
}

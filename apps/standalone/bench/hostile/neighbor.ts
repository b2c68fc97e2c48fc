// Acts as a neighbor and as a kubelet during an attack. The neighbor sends spans and reads data, and the kubelet sends probes.
import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSpanGenerator } from '@svc-server/testkit'
import type { Instance } from '../../test/instance.ts'

interface Spread {
  readonly n: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Watched {
  readonly posts: Spread
  readonly reads: Spread
  readonly probes: Spread
  /** Number of probes that failed or took more than 5 s. */
  readonly failed: number
  /** Largest resident memory of the instance's process and its child processes. */
  readonly peakMiB: number
}

const spread = (times: number[]): Spread => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(10 * (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)) / 10
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

function memoryOf(pid: number): number {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,rss='], { encoding: 'utf8' }).trim().split('\n')
  const all = lines.map(line => line.trim().split(/\s+/).map(Number)) as [number, number, number][]
  const tree = new Set([pid])
  for (const [child, parent] of all) if (tree.has(parent)) tree.add(child)
  return all.reduce((sum, [child, , rss]) => sum + (tree.has(child) ? rss : 0), 0) / 1024
}

/** Repeats each request until the response is 200, and measures the time from the first attempt to this response. */
export async function watchNeighbor({ ports, process: { pid } }: Instance, authorization: string, seconds: number): Promise<Watched> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const until = performance.now() + seconds * 1000
  const generator = createSpanGenerator({ seed: `neighbor ${Date.now()}`, startTimeMs: Date.now() - 1000, spansPerRequest: 10 })
  const ask = (port: number, path: string, headers: Readonly<Record<string, string>>, body?: Uint8Array) =>
    new Promise<number>(resolve => {
      const call = request(
        { host: '127.0.0.1', port, path, agent, method: body ? 'POST' : 'GET', headers, timeout: 5_000, localAddress: '127.0.0.2' },
        answer =>
          void answer
            .resume()
            .once('end', () => resolve(answer.statusCode ?? 0))
            .once('error', () => resolve(0)),
      )
      call
        .on('timeout', () => call.destroy())
        .on('error', () => resolve(0))
        .end(body)
    })
  async function every(pauseMs: number, one: () => Promise<number>): Promise<{ readonly times: number[]; readonly failed: number }> {
    const times: number[] = []
    let failed = 0
    while (performance.now() < until) {
      const startedAt = performance.now()
      while ((await one()) !== 200 && performance.now() < until) {
        failed++
        await sleep(50)
      }
      times.push(performance.now() - startedAt)
      await sleep(pauseMs)
    }
    return { times, failed }
  }
  let peakMiB = 0
  const timer = setInterval(() => (peakMiB = Math.max(peakMiB, Math.round(memoryOf(pid!)))), 1000)
  const spans = { authorization, 'content-type': 'application/x-protobuf', 'x-svc-ingestion-version': '4' }
  const [posts, reads, live, readiness] = await Promise.all([
    every(5, () => ask(ports.SVC_OTLP_PORT, '/v1/traces', spans, generator.next().protobuf)),
    every(50, () => ask(ports.PORT, '/api/public/projects', { authorization })),
    every(200, () => ask(ports.SVC_WORKER_PORT, '/health/live', {})),
    every(200, () => ask(ports.SVC_WORKER_PORT, '/health/ready', {})),
  ])
  clearInterval(timer)
  agent.destroy()
  const probes = spread([...live.times, ...readiness.times])
  return { posts: spread(posts.times), reads: spread(reads.times), probes, failed: live.failed + readiness.failed, peakMiB }
}

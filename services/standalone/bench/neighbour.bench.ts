// What one project's flood costs a neighbour in the standalone (F26): p50 and p99 of small requests of another project, during the flood ÷ idle.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { createSpanGenerator, temporaryDirectory } from '@svc-server/testkit'
import { authorization, freePorts, type Instance, ready, startInstance, svc } from '../test/instance.ts'
import { sendAll } from '../test/sender.ts'

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: 'batches,small,large,json,staged' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('neighbour: [--kinds batches,small,large,json,staged] [--connections 16] [--seconds 10]\n')
  process.exit(0)
}

interface Times {
  readonly requests: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const quantile = (sorted: readonly number[], q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN

/** One request of 10 spans after the other, with a rest between them, for so many seconds. */
async function probe(instance: Instance, neighbour: string, seed: string, seconds: number): Promise<Times> {
  const generator = createSpanGenerator({ seed, startTimeMs: Date.now() - 1000, spansPerRequest: 10 })
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const requests = [generator.next()]
    const startedAt = performance.now()
    await sendAll({ url: instance.tracesUrl, requests, concurrency: 1, headers: { authorization: neighbour } })
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

await using directory = await temporaryDirectory()
const ports = await freePorts()
const instance = await ready(startInstance(directory.path, ports, { SVC_LOG_LEVEL: 'warn' }))
const keys = async (...argv: string[]) => {
  const { out, error, code } = await svc(directory.path, ports, 'keys', ...argv, '--json')
  if (code !== 0) throw new Error(error)
  return JSON.parse(out)
}
const [{ orgId }] = (await keys('projects')) as [{ orgId: string }]
await keys('create-project', '--organization', orgId, '--name', 'neighbour', '--id', 'neighbour')
const pair = (await keys('create', '--project', 'neighbour')) as { publicKey: string; secretKey: string }
const neighbour = `Basic ${Buffer.from(`${pair.publicKey}:${pair.secretKey}`).toString('base64')}`

const seconds = Number(values.seconds)
await probe(instance, neighbour, 'warm', 3)
const results: Record<string, unknown> = {}
for (const kind of values.kinds.split(',')) {
  const idle = await probe(instance, neighbour, `idle ${kind}`, seconds)
  const flood = fork(new URL('./flooder.ts', import.meta.url), [instance.tracesUrl, authorization, kind, values.connections], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  await once(flood, 'message')
  await probe(instance, neighbour, `ramp ${kind}`, 2)
  const flooded = await probe(instance, neighbour, `flooded ${kind}`, seconds)
  const answered = once(flood, 'message')
  flood.send('stop')
  const [{ answers }] = (await answered) as [{ answers: Record<string, number> }]
  const ratioP99 = flooded.p99Ms / idle.p99Ms
  results[kind] = { idle, flooded, ratioP50: flooded.p50Ms / idle.p50Ms, ratioP99, answers }
  const ms = (times: Times) =>
    `p50 ${times.p50Ms.toFixed(1)} p90 ${times.p90Ms.toFixed(1)} p99 ${times.p99Ms.toFixed(1)} max ${times.maxMs.toFixed(1)} ms`
  process.stdout.write(`${kind}: idle ${ms(idle)} · flooded ${ms(flooded)} · ${JSON.stringify(answers)}\n`)
}
const exitCode = await instance.end('SIGINT')
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
process.stdout.write(`${JSON.stringify({ bench: 'neighbour', machine, connections: Number(values.connections), results, exitCode })}\n`)

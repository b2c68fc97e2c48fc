// Measures the time between the response to a score and the moment when the score is readable. Meanwhile, the standalone receives as many
// spans as it can store. Usage: npm run bench -- scores [--rate 300] [--seconds 60] [--connections 4] [--batch 30]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { quantile, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { authorization, freePorts, ready, startInstance } from '../test/instance.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '4' },
    batch: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('scores: [--rate 300] [--seconds 60] [--connections 4, of spans; 0: none] [--batch 30]\n')
  process.exit(0)
}
const [rate, seconds, connections, batch] = [values.rate, values.seconds, values.connections, values.batch].map(Number) as [
  number,
  number,
  number,
  number,
]
const pollMs = 200
const tenths = (value: number) => Number(value.toFixed(1))

await using directory = await temporaryDirectory('svc-scores-bench-')
const ports = await freePorts()
const instance = await ready(startInstance(directory.path, ports, { SVC_LOG_LEVEL: 'warn' }))

const waiting = new Map<string, number>()
const delays: number[] = []
const statuses: Record<number, number> = {}
let sending = true
const watching = (async () => {
  while (sending || waiting.size > 0) {
    const ids = [...waiting.keys()].map(id => `'${id}'`)
    const found =
      ids.length === 0 ? [] : await instance.query<{ id: string }>(`SELECT id FROM scores WHERE id IN (${ids.join(',')})`).catch(() => [])
    const now = performance.now()
    for (const { id } of found) {
      const at = waiting.get(id)
      if (at !== undefined) delays.push((now - at) / 1000)
      waiting.delete(id)
    }
    await sleep(pollMs)
  }
})()

async function post(number: number): Promise<void> {
  const scores = Array.from({ length: batch }, (_, at) => ({
    id: `score-${number}-${at}`,
    traceId: `trace-${number}`,
    name: `quality-${at % 5}`,
    value: at / batch,
    comment: 'from a bench',
  }))
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/scores`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(scores),
  })
  await response.arrayBuffer()
  statuses[response.status] = (statuses[response.status] ?? 0) + 1
  if (response.ok) waiting.set(scores.at(-1)!.id, performance.now())
}

const flood =
  connections === 0
    ? null
    : fork(new URL('flooder.ts', import.meta.url), [instance.tracesUrl, authorization, 'batches', String(connections)], {
        execArgv: ['--disable-warning=ExperimentalWarning'],
      })
if (flood !== null) await once(flood, 'message')
const startedAt = performance.now()
const count = Math.ceil((rate * seconds) / batch)
const inFlight: Promise<void>[] = []
for (let number = 0; number < count; number++) {
  await sleep(Math.max(0, startedAt + ((number * batch) / rate) * 1000 - performance.now()))
  inFlight.push(post(number))
}
await Promise.all(inFlight)
sending = false
const sentSeconds = (performance.now() - startedAt) / 1000
let answers: unknown = null
if (flood !== null) {
  const answered = once(flood, 'message')
  flood.send('stop')
  answers = ((await answered) as [{ answers: unknown }])[0].answers
}
await watching
const scores = delays.length * batch
await waitFor(async () => (await instance.count('SELECT uniqExact(id) AS n FROM scores')) >= scores, {
  timeoutMs: 120_000,
  what: 'all scores',
})
const sorted = delays.toSorted((a, b) => a - b)
const figures = {
  scores,
  scoresPerSecond: Math.round((count * batch) / sentSeconds),
  statuses,
  spanRequests: answers,
  secondsToReadable: { p50: tenths(quantile(sorted, 0.5)), p95: tenths(quantile(sorted, 0.95)), max: tenths(sorted.at(-1) ?? Number.NaN) },
  rawRows: await instance.count('SELECT count() AS n FROM scores'),
  exitCode: await instance.end('SIGINT'),
}
const { p50, p95, max } = figures.secondsToReadable
process.stdout.write(`readable after p50 ${p50} s, p95 ${p95} s, max ${max} s\n`)
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
process.stdout.write(`${JSON.stringify({ bench: 'scores', machine, connections, ...figures })}\n`)

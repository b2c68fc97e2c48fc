// Compares the CPU time of a legacy API event with the CPU time of a span in one standalone. The CPU time of the column store's engine is
// not counted. Events and spans have texts of the same length. Usage: npm run bench -- legacy-events -- [--mode dual] [--rounds 4] [--items
// 9000]
import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createSpanGenerator, processCpuMs, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { authorization, freePorts, ready, startInstance } from '../test/instance.ts'
import { sendAll } from '../test/sender.ts'

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'legacy' },
    rounds: { type: 'string', default: '4' },
    items: { type: 'string', default: '9000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('legacy-events: [--mode legacy | dual] [--rounds 4] [--items 9000] of each kind in a round\n')
  process.exit(0)
}
const items = Number(values.items)
const perRequest = 90
const eventsPerObservation = 3
const concurrency = 4

await using directory = await temporaryDirectory()
const instance = await ready(
  startInstance(directory.path, await freePorts(), {
    SVC_LOG_LEVEL: 'warn',
    SVC_MIGRATION_V4_WRITE_MODE: values.mode,
    SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
    SVC_PROPAGATION_WINDOW_SECONDS: '2',
  }),
)
const text = 'lorem ipsum dolor sit amet consetetur '.repeat(60).slice(0, 2000)
const generator = createSpanGenerator({ seed: 'legacy events', startTimeMs: Date.now() - 60_000, spansPerRequest: perRequest })

function eventsOf(id: string, traceId: string, at: number): readonly object[] {
  const time = (ms: number) => new Date(at + ms).toISOString()
  const event = (part: number, type: string, body: object) => ({ id: `${id}-${part}`, timestamp: time(part), type, body: { id, ...body } })
  const start = { traceId, name: 'answer', startTime: time(0), model: 'gpt-4o', metadata: { user: { plan: 'pro' } } }
  return [
    event(0, 'generation-create', { ...start, input: [{ role: 'user', content: text }] }),
    event(1, 'generation-update', { output: { role: 'assistant', content: text }, usage: { input: 120, output: 80 } }),
    event(2, 'generation-update', { endTime: time(2), level: 'DEFAULT' }),
  ]
}

async function sendEvents(round: number): Promise<void> {
  const at = Date.now() - 60_000
  const observations = Array.from({ length: items / eventsPerObservation }, (_, number) =>
    eventsOf(`r${round}-o${number}`, `r${round}-t${number >> 3}`, at),
  )
  const batches: (readonly object[])[] = []
  for (let from = 0; from < observations.length; from += perRequest / eventsPerObservation)
    batches.push(observations.slice(from, from + perRequest / eventsPerObservation).flat())
  const lane = async (): Promise<void> => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const response = await fetch(`http://127.0.0.1:${instance.ports.PORT}/api/public/ingestion`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ batch }),
      })
      const answer = (await response.json()) as { readonly errors?: readonly unknown[] }
      if (response.status !== 207 || answer.errors?.length !== 0) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  const ended = `SELECT uniqExactIf(id, end_time IS NOT NULL AND output != '') AS n FROM observations FINAL WHERE startsWith(id, 'r${round}-o')`
  await waitFor(async () => (await instance.count(ended)) === observations.length, { timeoutMs: 120_000, everyMs: 500, what: 'the events' })
}

let spansSent = 0
async function sendSpans(): Promise<void> {
  const requests = Array.from({ length: items / perRequest }, () => generator.next())
  await sendAll({ url: instance.tracesUrl, requests, concurrency })
  spansSent += items
  const stored = "SELECT uniqExact(id) AS n FROM observations WHERE NOT startsWith(id, 'r')"
  await waitFor(async () => (await instance.count(stored)) === spansSent, { timeoutMs: 120_000, everyMs: 500, what: 'the spans' })
}

/** Returns the CPU time per item in microseconds, including the time to store the item's row. */
async function cost(work: () => Promise<void>): Promise<number> {
  const before = processCpuMs(instance.process.pid!)
  await work()
  await sleep(3_000)
  return ((processCpuMs(instance.process.pid!) - before) * 1000) / items
}

await sendSpans()
await sendEvents(0)
const idle = await cost(() => sleep(3_000))
const rounds: { readonly spanUs: number; readonly eventUs: number }[] = []
for (let round = 1; round <= Number(values.rounds); round++)
  rounds.push({ spanUs: await cost(sendSpans), eventUs: await cost(() => sendEvents(round)) })
const least = (pick: (round: (typeof rounds)[number]) => number) => Math.round(Math.min(...rounds.map(pick)))
const figures = {
  bench: 'legacy-events',
  machine: `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, Node ${process.version}`,
  mode: values.mode,
  items,
  idleUsPerItem: Math.round(idle),
  spanUs: least(({ spanUs }) => spanUs),
  eventUs: least(({ eventUs }) => eventUs),
  rounds,
  exitCode: await instance.end('SIGINT'),
}
process.stdout.write(`an event costs ${(figures.eventUs / figures.spanUs).toFixed(2)} × a span\n${JSON.stringify(figures)}\n`)

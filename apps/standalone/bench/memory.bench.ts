// Measures the memory of a standalone with default settings, together with its column store. The bench measures the memory before the load,
// at the peak under maximum load, and after all spans are stored. Only anonymous pages are counted. Usage: npm run bench -- memory --
// [--spans N] [--connections N]
import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { anonymousMB, createSpanGenerator, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { freePorts, ready, startInstance } from '../test/instance.ts'
import { sendAll } from '../test/sender.ts'

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '150000' },
    connections: { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
})
const [spans, connections] = [Number(values.spans), Number(values.connections)]
if (values.help || !(spans > 0 && connections > 0)) {
  process.stdout.write('memory: [--spans N] to send (150000), [--connections N] that send at once (8)\n')
  process.exit(values.help ? 0 : 2)
}
const spansPerRequest = 100
const settleMs = 10_000

await using directory = await temporaryDirectory()
const asStarted = { UV_THREADPOOL_SIZE: '8', MALLOC_ARENA_MAX: '2' }
const instance = await ready(startInstance(directory.path, await freePorts(), { SVC_LOG_LEVEL: 'warn', ...asStarted }))
const pids = { standalone: instance.process.pid!, columnStore: instance.enginePid() }
const memory = () => {
  const [standalone, columnStore] = [anonymousMB(pids.standalone), anonymousMB(pids.columnStore)]
  return { standalone, columnStore, both: standalone + columnStore }
}
const highest = (a: ReturnType<typeof memory>, b: ReturnType<typeof memory>) => ({
  standalone: Math.max(a.standalone, b.standalone),
  columnStore: Math.max(a.columnStore, b.columnStore),
  both: Math.max(a.both, b.both),
})

const generator = createSpanGenerator({ seed: 'memory', startTimeMs: Date.now() - 60_000, spansPerRequest })
const requests = Array.from({ length: Math.ceil(spans / spansPerRequest) }, () => generator.next())
await sleep(settleMs)
const idle = memory()
let peak = idle
const watching = setInterval(() => (peak = highest(peak, memory())), 50)
const startedAt = performance.now()
await sendAll({ url: instance.tracesUrl, requests, concurrency: connections })
const sentSeconds = (performance.now() - startedAt) / 1000
const stored = async () => (await instance.count('SELECT count() AS n FROM events_full')) >= requests.length * spansPerRequest
await waitFor(stored, { what: 'all to be stored', timeoutMs: 300_000, everyMs: 250 })
const storedSeconds = (performance.now() - startedAt) / 1000
await sleep(settleMs)
clearInterval(watching)
const figures = {
  bench: 'memory',
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)}`,
  spans: requests.length * spansPerRequest,
  spansPerSecond: Math.round((requests.length * spansPerRequest) / sentSeconds),
  storedSeconds: Math.round(storedSeconds),
  anonymousMB: { idle, peak, afterwards: memory() },
}
await instance.end('SIGINT')
console.log(JSON.stringify(figures, null, 2))

// Measures how much one project's flood delays another project, the neighbor, in a standalone (F26). The bench prints the p50 and the p99
// of the neighbor's response times, each divided by its value without the flood.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { temporaryDirectory } from '@svc-server/testkit'
import { freePorts, ready, startInstance } from '../test/instance.ts'
import { createNeighbor, probe, probeUnderFlood, type Times } from '../test/threat/neighbor.ts'

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: 'batches,small,large,json,staged' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('neighbor: [--kinds batches,small,large,json,staged] [--connections 16] [--seconds 10]\n')
  process.exit(0)
}

await using directory = await temporaryDirectory()
const ports = await freePorts()
const instance = await ready(startInstance(directory.path, ports, { SVC_LOG_LEVEL: 'warn' }))
const neighbor = await createNeighbor(directory.path, ports)

const seconds = Number(values.seconds)
await probe(instance, neighbor, 'warm', 3)
const results: Record<string, unknown> = {}
for (const kind of values.kinds.split(',')) {
  const idle = await probe(instance, neighbor, `idle ${kind}`, seconds)
  const { flooded, answers } = await probeUnderFlood(instance, neighbor, { kind, connections: Number(values.connections), seconds })
  const ratioP99 = flooded.p99Ms / idle.p99Ms
  results[kind] = { idle, flooded, ratioP50: flooded.p50Ms / idle.p50Ms, ratioP99, answers }
  const ms = (times: Times) =>
    `p50 ${times.p50Ms.toFixed(1)} p90 ${times.p90Ms.toFixed(1)} p99 ${times.p99Ms.toFixed(1)} max ${times.maxMs.toFixed(1)} ms`
  process.stdout.write(`${kind}: idle ${ms(idle)} · flooded ${ms(flooded)} · ${JSON.stringify(answers)}\n`)
}
const exitCode = await instance.end('SIGINT')
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
process.stdout.write(`${JSON.stringify({ bench: 'neighbor', machine, connections: Number(values.connections), results, exitCode })}\n`)

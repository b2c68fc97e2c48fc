// Measures how long a neighbor waits for its rows in a standalone while another project sends expensive spans (F26).
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { quantile, temporaryDirectory } from '@svc-server/testkit'
import { freePorts, ready, startInstance } from '../test/instance.ts'
import { createNeighbor, startFlood } from '../test/threat/neighbor.ts'
import { timesToRow } from '../test/threat/readable.ts'

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: 'maps,prompts,tokens,numbers' },
    connections: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '15' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write('rows: [--kinds maps,prompts,tokens,numbers] [--connections 8] [--seconds 15]\n')
  process.exit(0)
}

const quantiles = (times: readonly number[]) => {
  const at = (share: number) => Math.round(quantile(times, share))
  return { spans: times.length, p50Ms: at(0.5), p90Ms: at(0.9), maxMs: at(1) }
}

await using directory = await temporaryDirectory()
const ports = await freePorts()
const instance = await ready(startInstance(directory.path, ports, { SVC_LOG_LEVEL: 'warn' }))
const neighbor = await createNeighbor(directory.path, ports)
const seconds = Number(values.seconds)
await timesToRow(instance, neighbor, 3)
const results: Record<string, unknown> = {}
for (const kind of values.kinds.split(',')) {
  const idle = quantiles(await timesToRow(instance, neighbor, seconds))
  const flood = await startFlood(instance, kind, Number(values.connections))
  const flooded = quantiles(await timesToRow(instance, neighbor, seconds))
  const answers = await flood.stop()
  results[kind] = { idle, flooded, answers }
  process.stdout.write(`${kind}: idle ${JSON.stringify(idle)} · flooded ${JSON.stringify(flooded)} · ${JSON.stringify(answers)}\n`)
}
const exitCode = await instance.end('SIGINT')
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
process.stdout.write(`${JSON.stringify({ bench: 'rows', machine, connections: Number(values.connections), results, exitCode })}\n`)

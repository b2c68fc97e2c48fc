// Attacks a standalone with bytes that no exporter sends. Before and during each attack, the bench measures the memory of the standalone,
// and the response times of probes and of requests that a different client (the neighbor) sends.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { underAttack } from './hostile/attack.ts'
import { startHostileInstance } from './hostile/instance.ts'
import { kinds } from './hostile/kinds.ts'
import { type Watched, watchNeighbor } from './hostile/neighbor.ts'

const { values } = parseArgs({
  options: { kinds: { type: 'string', default: '' }, seconds: { type: 'string', default: '8' }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  process.stdout.write(
    `hostile: [--kinds ${Object.keys(kinds).slice(0, 2).join('|')}] [--seconds 8]. Kinds by their beginnings, separated by |.\n`,
  )
  process.exit(0)
}

const { instance, authorization, stop } = await startHostileInstance()
const results: Record<string, unknown> = {}
const line = ({ posts, reads, probes, failed, peakMiB }: Watched) =>
  `spans p50 ${posts.p50} p99 ${posts.p99} ms · reads p99 ${reads.p99} ms · probes p99 ${probes.p99} ms, ${failed} failed · ${peakMiB} MiB`
for (const kind of Object.keys(kinds).filter(each => values.kinds.split('|').some(start => each.startsWith(start)))) {
  const before = await watchNeighbor(instance, authorization, 3)
  const { during, seen } = await underAttack(instance, kind, () => watchNeighbor(instance, authorization, Number(values.seconds)))
  const load = loadavg()[0]!.toFixed(1)
  results[kind] = {
    before,
    during,
    ratioP50: during.posts.p50 / before.posts.p50,
    ratioP99: during.posts.p99 / before.posts.p99,
    load,
    seen,
  }
  process.stdout.write(`${kind} (load ${load})\n  before: ${line(before)}\n  during: ${line(during)}\n  ${JSON.stringify(seen)}\n`)
}
await stop()
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
process.stdout.write(`${JSON.stringify({ bench: 'hostile', machine, results })}\n`)

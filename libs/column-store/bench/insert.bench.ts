// Measures the CPU time of a 32 MB insert. The bench reports the CPU time of the client's process, of the engine's HTTP listener, and of
// the engine's other threads separately. Usage: npm run bench -- insert -- [rounds]. The bench runs only on Linux, because it reads CPU
// times from /proc.
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngine } from '@svc-server/embedded-engine'
import { createColumnStore } from '../src/client.ts'
import { createBlockBuilder, NumberColumn, StringColumn } from '../src/native/index.ts'

const rounds = Number(process.argv[2]) || 12
const rows = 8_000
const textBytes = 2_000
const ticksPerSecond = 100

/** Returns user and system time in ms. */
const cpuOf = (statFile: string): number => {
  const fields = readFileSync(statFile, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

const specs = [
  { name: 'id', type: 'UInt64' },
  { name: 'input', type: 'String' },
  { name: 'output', type: 'String' },
]
const words = Array.from({ length: 5_000 }, (_, n) => `${(n * 2_654_435_761).toString(36)}`)
const prose = (seed: number): string => {
  let text = ''
  for (let at = seed; text.length < textBytes; at = (at * 48_271 + 11) % 2_147_483_647) text += `${words[at % words.length]} `
  return text.slice(0, textBytes)
}

const makeBody = (round: number): Uint8Array[] => {
  const builder = createBlockBuilder(specs)
  const id = builder.column('id', NumberColumn)
  const texts = [builder.column('input', StringColumn), builder.column('output', StringColumn)]
  for (let row = 0; row < rows; row++) {
    id.set(row, round * rows + row)
    for (const [at, column] of texts.entries()) column.string(row, prose(1 + row * 2 + at + round))
  }
  return builder.finish(rows)
}

const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const engine = await startEngine({ dataDir: directory, port: 0, password: 'bench' })
const store = createColumnStore({ url: engine.url, user: 'svc', password: 'bench', database: 'svc', requestTimeoutMs: 120_000 })
const measure = async (table: string, concurrency: number) => {
  const bodies = Array.from({ length: rounds }, (_, round) => makeBody(round))
  const bytes = bodies.flat().reduce((sum, part) => sum + part.length, 0)
  const main = `/proc/${engine.pid}/task/${engine.pid}/stat`
  const all = `/proc/${engine.pid}/stat`
  const before = { client: process.cpuUsage(), front: cpuOf(main), all: cpuOf(all), at: performance.now() }
  let next = 0
  const worker = async () => {
    for (let round = next++; round < rounds; round = next++)
      await store.insert({ table, columns: specs.map(spec => spec.name), body: bodies[round]!, token: `${table}/${concurrency}/${round}` })
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const seconds = (performance.now() - before.at) / 1000
  const client = process.cpuUsage(before.client)
  const front = cpuOf(main) - before.front
  const perBody = (ms: number) => Number((ms / rounds).toFixed(1))
  return {
    table,
    concurrency,
    megabytesPerBody: Number((bytes / rounds / 1e6).toFixed(1)),
    megabytesPerSecond: Number((bytes / 1e6 / seconds).toFixed(0)),
    rowsPerSecond: Math.round((rows * rounds) / seconds),
    msPerBody: perBody(seconds * 1000),
    cpuMsPerBody: {
      client: perBody((client.user + client.system) / 1000),
      front: perBody(front),
      engine: perBody(cpuOf(all) - before.all - front),
    },
  }
}

await store.command('CREATE TABLE nothing (id UInt64, input String, output String) ENGINE = Null')
await store.command('CREATE TABLE t (id UInt64, input String CODEC(ZSTD(1)), output String CODEC(ZSTD(1))) ENGINE = MergeTree ORDER BY id')
await measure('nothing', 1)
const results = [await measure('nothing', 1), await measure('t', 1), await measure('t', 2)]
const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${engine.pid}/status`, 'utf8'))?.[1]
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0] }
process.stdout.write(
  `${JSON.stringify({ bench: 'insert 32 MB Native', machine, enginePeakMegabytes: Math.round(Number(peak) / 1000), results }, null, 2)}\n`,
)
await store.close()
await engine.stop()
rmSync(directory, { recursive: true, force: true })

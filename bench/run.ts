// `npm run bench` runs the requested benches one after the other, each in its own process. With --json, the command writes the results of
// the benches to a file. Benches are in the `bench` folder of the code that they measure.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const benches = new Map(
  globSync('{libs,services,apps,packages,tools}/*/bench/*.bench.ts', { cwd: root }).map(file => [basename(file, '.bench.ts'), file]),
)

const help = `npm run bench -- NAME [NAME ...] [--json FILE] [-- FLAGS]

Benches (each prints ratios against a reference measured in the same run, and one line of JSON about the machine and the figures):

${[...benches].map(([name, file]) => `  ${name.padEnd(14)} ${file}`).join('\n')}

  all            all benches, one after the other

--json FILE stores the last JSON object that each bench prints, under the bench's name. Results of other benches in FILE are kept.
FLAGS are passed to each bench. The comment at the top of a bench's file lists its flags.`

const argv = process.argv.slice(2)
const jsonAt = argv.indexOf('--json')
const end = argv.indexOf('--')
const jsonFile = jsonAt === -1 || (end !== -1 && end < jsonAt) ? undefined : argv.splice(jsonAt, 2)[1]
const split = argv.indexOf('--')
const names = split === -1 ? argv.filter(arg => !arg.startsWith('-')) : argv.slice(0, split)
const flags = split === -1 ? argv.filter(arg => arg.startsWith('-')) : argv.slice(split + 1)
const chosen = names.includes('all') ? [...benches.keys()] : names
const unknown = chosen.filter(name => !benches.has(name))

if (chosen.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`Unknown bench: ${unknown.join(', ')}.\n\n`)
  process.stdout.write(`${help}\n`)
  process.exit(unknown.length > 0 ? 2 : 0)
}

/** Reads the JSON object at the end of a bench's output, and stores it in a file. The object can have several lines. */
function keep(file: string, name: string, said: string): void {
  const start = said.startsWith('{') ? 0 : said.lastIndexOf('\n{') + 1
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {}
  writeFileSync(file, `${JSON.stringify({ ...known, [name]: JSON.parse(said.slice(start)) as unknown }, null, 2)}\n`)
}

let failed = 0
let running: ChildProcess | undefined
let stopped = false
// Forwards a stop signal to the running bench. Otherwise the bench's brokers and engines would keep running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true
    running?.kill(signal)
  })
}
for (const name of chosen) {
  if (stopped) break
  process.stdout.write(`\n── ${name}\n`)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, benches.get(name)!), ...flags], {
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  running = child
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    said += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) failed += 1
  else if (jsonFile !== undefined) keep(jsonFile, name, said)
}
process.exit(failed === 0 && !stopped ? 0 : 1)

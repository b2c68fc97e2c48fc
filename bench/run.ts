// `npm run bench`: finds the benches beside the parts they measure and runs the ones asked for, one process
// each, one after the other.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const benches = new Map(globSync('{libs,services,apps}/*/bench/*.bench.ts', { cwd: root }).map(file => [basename(file, '.bench.ts'), file]))

const help = `npm run bench -- NAME [NAME ...] [-- FLAGS]

Benches (each prints ratios against a reference measured in the same run, and one line of JSON about the machine and the figures):

${[...benches].map(([name, file]) => `  ${name.padEnd(14)} ${file}`).join('\n')}

  all            every one of them, one after the other

FLAGS go to each bench; the comment at the top of its file says which it has.`

const argv = process.argv.slice(2)
const split = argv.indexOf('--')
const names = split === -1 ? argv.filter(arg => !arg.startsWith('-')) : argv.slice(0, split)
const flags = split === -1 ? argv.filter(arg => arg.startsWith('-')) : argv.slice(split + 1)
const chosen = names.includes('all') ? [...benches.keys()] : names
const unknown = chosen.filter(name => !benches.has(name))

if (chosen.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`There is no bench ${unknown.join(', ')}.\n\n`)
  process.stdout.write(`${help}\n`)
  process.exit(unknown.length > 0 ? 2 : 0)
}

let failed = 0
let running: ChildProcess | undefined
let stopped = false
// A bench that is not told would leave its brokers and engines behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true
    running?.kill(signal)
  })
}
for (const name of chosen) {
  if (stopped) break
  process.stdout.write(`\n── ${name}\n`)
  running = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, benches.get(name)!), ...flags], {
    stdio: 'inherit',
  })
  const [code] = (await once(running, 'exit')) as [number | null]
  if (code !== 0) failed += 1
}
process.exit(failed === 0 && !stopped ? 0 : 1)

// Compares the speed of mapping and encoding in this revision with the speed in another revision. Two processes take turns, so that a slow
// moment of the machine affects both. Run: node libs/observations/bench/revision.bench.ts --against REVISION [--rounds N] [--bodies
// recorded|generated]
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createSpanGenerator, quantile, recordedProtobufs } from '@svc-server/testkit'

const root = resolve(import.meta.dirname, '../../..')
const { values: options } = parseArgs({
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '300' }, bodies: { type: 'string' } },
})
const at = Date.parse('2026-11-21T12:00:00Z')
/** V8 fully compiles the rules of a dialect only after about ten thousand spans. */
const warmUpMs = 8000

if (options.against === undefined) {
  process.stderr.write('Name the revision to compare with: --against REVISION.\n')
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'revision-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Copies the libraries of a revision to a temporary folder. The copy uses the installed packages of this checkout. */
function checkOut(revision: string): string {
  const commit = execFileSync('git', ['rev-parse', '--verify', `${revision}^{commit}`], { cwd: root, encoding: 'utf8' }).trim()
  const archive = join(folder, 'revision.tar')
  const into = join(folder, 'revision')
  execFileSync('git', ['archive', '--prefix=revision/', `--output=${archive}`, commit, '--', 'libs', 'package.json'], { cwd: root })
  execFileSync('tar', ['-xf', archive, '-C', folder])
  symlinkSync(join(root, 'node_modules'), join(into, 'node_modules'))
  for (const links of globSync('libs/*/node_modules', { cwd: root })) {
    cpSync(join(root, links), join(into, links), { recursive: true, verbatimSymlinks: true })
  }
  return into
}

function bodiesFile(name: string, bodies: readonly Uint8Array[]): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(bodies.map(body => Buffer.from(body).toString('base64'))))
  return file
}

const generator = createSpanGenerator({ seed: 'encode', projectCount: 24, startTimeMs: at, spansPerRequest: 100 })
const all = Buffer.concat(recordedProtobufs())
const sets = {
  recorded: bodiesFile('recorded.json', [all, all]),
  generated: bodiesFile(
    'generated.json',
    Array.from({ length: 8 }, () => generator.next().protobuf),
  ),
}

async function startSide(of: string, bodies: string): Promise<{ round(): Promise<number>; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'revision-side.ts'), [of, bodies, String(at), String(warmUpMs)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const answer = async () => Number((await once(child, 'message'))[0])
  await answer()
  return {
    round() {
      child.send('encode')
      return answer()
    },
    stop: () => child.disconnect(),
  }
}

const rounded = (value: number) => Number(value.toFixed(3))

/**
 * Each round measures both revisions. The ratio of a round is this version's time divided by the other revision's time. `median` and
 * `quartiles` describe the ratios of all rounds. `quiet` is the 10th percentile of this version's times, divided by the 10th
 * percentile of the other revision's times. The 10th percentiles describe fast rounds, which other programs on the machine disturb least.
 */
async function compare(base: string, bodies: string) {
  const [before, now] = [await startSide(base, bodies), await startSide(root, bodies)]
  const times: [before: number, now: number][] = []
  for (let round = 0; round < Number(options.rounds); round++) {
    // The process that runs second in a round has warmer caches. The two processes therefore take turns in running first.
    const isBeforeFirst = round % 2 === 0
    const first = await (isBeforeFirst ? before : now).round()
    const second = await (isBeforeFirst ? now : before).round()
    times.push(isBeforeFirst ? [first, second] : [second, first])
  }
  for (const side of [before, now]) side.stop()
  const ratios = times.map(([a, b]) => b / a)
  const [median, quarter, threeQuarters] = [0.5, 0.25, 0.75].map(part => rounded(quantile(ratios, part)))
  const quiet = [0, 1].map(side =>
    quantile(
      times.map(pair => pair[side]!),
      0.1,
    ),
  )
  return { median, quartiles: [quarter, threeQuarters], quiet: rounded(quiet[1]! / quiet[0]!) }
}

const base = checkOut(options.against)
const ratios: Record<string, unknown> = {}
for (const [name, bodies] of Object.entries(sets)) {
  if (options.bodies === undefined || options.bodies === name) ratios[name] = await compare(base, bodies)
}
const machine = `${cpus()[0]?.model} x${cpus().length}, Node ${process.version}`
const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0]
console.log(JSON.stringify({ machine, load, against: options.against, rounds: Number(options.rounds), cpuRatio: ratios }, null, 2))

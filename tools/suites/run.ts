// `npm test` runs the type check, the linter and all test suites. A program can parse the last line of the output. With `--times`, the
// command writes the time of each suite to suite-seconds.json.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { overBudget, slownessOf, timesOf } from './areas.ts'

const root = resolve(import.meta.dirname, '../..')
const flags = process.argv.slice(2)
const nightly = flags.includes('--nightly')
const passOn = flags.filter(flag => !['--nightly', '--static', '--fix', '--times'].includes(flag))

const help = `npm test [-- FLAGS AND FILES]  run everything; with files, only these tests after the static checks. Flags and files are passed to vitest
npm run nightly [-- FLAGS AND FILES]  run everything, including the nightly tests
npm run check                  run only the static checks: types, lint, import rules
npm run fix                    format, and correct what lint can correct

  --times  write the time of each suite; the next run derives the order of suites and the speed of its machine from these times`

if (flags.includes('--help') || flags.includes('-h')) {
  process.stdout.write(`${help}\n`)
  process.exit(0)
}
const takesNothing = (['--static', '--fix'] as const).find(flag => flags.includes(flag))
if (takesNothing !== undefined && passOn.length > 0) {
  const command = takesNothing === '--fix' ? 'fix' : 'check'
  process.stderr.write(`npm run ${command} accepts no argument '${passOn[0]}'. npm run ${command} -- --help lists the commands.\n`)
  process.exit(2)
}

interface Outcome {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly seconds: number
  /** Failed tests. The failed tests are printed again at the end, so that a reader finds them quickly. */
  readonly failures?: readonly string[]
}

function run(name: string, args: readonly string[]): { ok: boolean; seconds: number } {
  process.stdout.write(`\n── ${name}\n`)
  const startedAt = performance.now()
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (result.error) process.stdout.write(`${name} could not be started: ${result.error.message}\n`)
  return { ok: result.status === 0, seconds: (performance.now() - startedAt) / 1000 }
}

const tool = (path: string) => join(root, 'node_modules', path)

interface Step {
  readonly name: string
  readonly args: readonly string[]
}

/** Runs a check. Another check runs at the same time, so the output of this check is printed only after its end. */
function step({ name, args }: Step): Promise<Outcome> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => said.push(bytes))
  return new Promise(resolve => {
    function end(ok: boolean): void {
      process.stdout.write(`\n── ${name}\n${Buffer.concat(said).toString()}`)
      resolve({ name, passed: ok ? 1 : 0, failed: ok ? 0 : 1, seconds: (performance.now() - startedAt) / 1000 })
    }
    child.once('error', error => {
      said.push(Buffer.from(`${name} could not be started: ${error.message}\n`))
      end(false)
    })
    child.once('close', code => end(code === 0))
  })
}

/** Runs two checks at the same time, because most checks use only one processor. */
async function inPairs(steps: readonly Step[]): Promise<Outcome[]> {
  const left = steps.entries()
  const outcomes: Outcome[] = []
  async function lane(): Promise<void> {
    for (const [at, each] of left) outcomes[at] = await step(each)
  }
  await Promise.all([lane(), lane()])
  return outcomes
}

function suites(): Outcome[] {
  const directory = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const report = join(directory, 'report.json')
  try {
    const { ok, seconds } = run(nightly ? 'nightly tests' : 'tests', [
      tool('vitest/vitest.mjs'),
      'run',
      ...(nightly ? ['--config', 'vitest.nightly.config.ts'] : []),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...passOn,
    ])
    const counted = countReport(report)
    const budgets = isWhole ? [budgetsOf(counted.suites)] : []
    if (flags.includes('--times')) writeTimes(counted.suites)
    // If the test runner crashes after its report, or finds no test, at least one failure is counted.
    const failed = counted.failed + (ok && counted.passed > 0 ? 0 : Math.max(0, 1 - counted.failed))
    return [...counted.suites, ...budgets, { name: 'all tests', passed: counted.passed, failed, seconds, failures: counted.failures }]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    name: string
    startTime: number
    endTime: number
    status: string
    message?: string
    assertionResults: readonly { status: string; fullName: string; failureMessages?: readonly string[] }[]
  }[]
}

function countReport(file: string): { passed: number; failed: number; suites: Outcome[]; failures: string[] } {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as VitestReport
    // A suite that fails while it is loaded has no tests in the report. It counts as one failed test.
    const broken = report.testResults.filter(suite => suite.status === 'failed' && suite.assertionResults.length === 0).length
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + report.numPendingTests + broken,
      suites: bySlowness(report),
      failures: failuresOf(report),
    }
  } catch (error) {
    process.stdout.write(`The test runner left no report: ${String(error)}\n`)
    return { passed: 0, failed: 1, suites: [], failures: ['The test runner left no report.'] }
  }
}

/** Removes the stack frames of the test runner. */
const shortened = (text: string) =>
  text
    .split('\n')
    .filter(line => !line.includes('/node_modules/'))
    .slice(0, 12)
    .join('\n')
    .slice(0, 1_500)

function failuresOf(report: VitestReport): string[] {
  return report.testResults.flatMap(suite => {
    const file = suite.name.replace(`${root}/`, '')
    if (suite.status === 'failed' && suite.assertionResults.length === 0)
      return [`${file}\n${shortened(suite.message ?? 'could not be loaded')}`]
    // If a hook fails, all tests of the suite are skipped, and no test has an error. The error of the hook is in the suite's message.
    const ofSuite = suite.message ? [`${file}\n${shortened(suite.message)}`] : []
    const ofTests = suite.assertionResults
      .filter(({ status }) => status !== 'passed')
      .map(test => `${file} > ${test.fullName} (${test.status})\n${shortened(test.failureMessages?.join('\n') ?? '')}`.trimEnd())
    return [...ofSuite, ...ofTests]
  })
}

const bySlowness = (report: VitestReport): Outcome[] =>
  report.testResults
    .map(suite => ({ name: suite.name.replace(`${root}/`, ''), passed: 0, failed: 0, seconds: (suite.endTime - suite.startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)

const isWhole = !nightly && passOn.length === 0

function budgetsOf(suites: readonly Outcome[]): Outcome {
  const times = timesOf(suites)
  process.stdout.write(`\n── time per area and its limit (this machine needs ${slownessOf(suites).toFixed(2)} times the recorded times)\n`)
  for (const { area, seconds, most } of times)
    process.stdout.write(`${seconds.toFixed(0).padStart(8)} s of ${most.toFixed(0).padStart(4)} s  ${area.name}\n`)
  const failures = overBudget(times)
  return { name: 'budgets of areas', passed: failures.length === 0 ? 1 : 0, failed: failures.length, seconds: 0, failures }
}

/** Suites that take fewer seconds are not recorded, because their order does not matter. */
const leastSeconds = 3

function writeTimes(suites: readonly Outcome[]): void {
  const long = suites.map(({ name, seconds }) => [name, Math.round(seconds)] as const).filter(([, seconds]) => seconds >= leastSeconds)
  writeFileSync(join(root, 'tools/suites/suite-seconds.json'), `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`)
}

const code = ['libs', 'services', 'apps', 'packages', 'tools', 'bench']
const biome = tool('@biomejs/biome/bin/biome')

/** The type check. The type check uses one thread, because several threads would check shared types several times. */
const types = (name: string, project: string, ...more: readonly string[]): Step => ({
  name,
  args: [tool('typescript/bin/tsc'), '--noEmit', '-p', project, '--checkers', '1', ...more],
})

async function main(): Promise<number> {
  if (flags.includes('--fix')) return run('format and lint', [biome, 'check', '--write', '.']).ok ? 0 : 1
  const checks: Step[] = [
    {
      name: 'import rules',
      args: [tool('dependency-cruiser/bin/dependency-cruiser.mjs'), '--config', 'dependency-cruiser.config.mjs', ...code],
    },
    types('types', '.', '--incremental', '--tsBuildInfoFile', join(root, '.cache/types.tsbuildinfo')),
    types('types of the SDK', 'packages'),
    types('types of the tests of the SDK', 'packages/tsconfig.test.json'),
    types('types of the web app', 'apps/web'),
    { name: 'the shape of the API', args: ['--disable-warning=ExperimentalWarning', join(root, 'tools/checks/shape.ts')] },
    { name: 'unused code', args: [tool('knip/bin/knip.js'), '--no-progress', '--no-config-hints'] },
    { name: 'format and lint', args: [biome, 'check', '--error-on-warnings', '.'] },
  ]
  const programs = {
    name: 'programs that check the chart',
    args: [join(root, 'tools/programs/build.ts'), ...(nightly ? ['--nightly'] : [])],
  }
  const isStatic = flags.includes('--static')
  const outcomes = [...(await inPairs(isStatic ? checks : [programs, ...checks])), ...(isStatic ? [] : suites())]
  process.stdout.write('\n── time\n')
  for (const { name, seconds } of outcomes) process.stdout.write(`${seconds.toFixed(1).padStart(8)} s  ${name}\n`)
  const failures = outcomes.flatMap(
    outcome =>
      outcome.failures ??
      (outcome.failed > 0
        ? [`${outcome.name}: see its output above${outcome.name === 'format and lint' ? '; npm run fix corrects most of it' : ''}`]
        : []),
  )
  if (failures.length > 0) process.stdout.write(`\n── failed\n${failures.join('\n\n')}\n`)
  const sum = (pick: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + pick(outcome), 0)
  const [passed, failed] = [sum(outcome => outcome.passed), sum(outcome => outcome.failed)]
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

process.exit(await main())

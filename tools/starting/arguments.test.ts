// Every program must refuse unknown arguments before it starts anything.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sized } from '../../libs/testkit/src/config.ts'

const root = join(import.meta.dirname, '../..')

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, program), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    timeout: 60_000,
    encoding: 'utf8',
  })
  return { status, stderr }
}

const services = ['otlp-gateway', 'events-writer', 'staging-propagator', 'merger', 'public-api', 'backfill-runner']
const programs = [
  ...services.map(name => [name, `services/${name}/src/main.ts`] as const),
  ['standalone', 'apps/standalone/src/main.ts'] as const,
  ['cluster', 'apps/cluster/src/main.ts'] as const,
]

// All programs use the same code to refuse arguments. Here, the quick run therefore tests only one service and the cluster. The next test
// tests the standalone.
test.each(sized(programs, [programs[0]!, ...programs.slice(-1)]))('%s takes no arguments', (name, program) => {
  expect(run(program, ['--port', '4000'])).toEqual({
    status: 2,
    stderr: `${name}: there is no argument '--port'. Settings are environment variables; --help lists them.\n`,
  })
})

test('a variable after the command gets the correct order, and a help option gets the form that npm needs', () => {
  expect(run('apps/standalone/src/main.ts', ['PORT=4000'], { npm_lifecycle_event: 'start' })).toEqual({
    status: 2,
    stderr: "standalone: there is no argument 'PORT=4000'. Set variables before the command; npm run start -- --help lists them.\n",
  })
})

test.each([
  ['check', ['--static', 'libs']],
  ['fix', ['--fix', '--unsafe']],
])('npm run %s takes none either', (command, args) => {
  expect(run('tools/suites/run.ts', args)).toEqual({
    status: 2,
    stderr: `npm run ${command} accepts no argument '${args[1]}'. npm run ${command} -- --help lists the commands.\n`,
  })
})

test('npm test describes its arguments', () => {
  expect(run('tools/suites/run.ts', ['--help'])).toEqual({ status: 0, stderr: '' })
})

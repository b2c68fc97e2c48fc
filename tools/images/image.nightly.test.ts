// Tests the image's files without a Docker engine. The test installs the packages as the Dockerfile does, and starts every program. The
// test checks neither the layers nor the base image.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TemporaryDirectory, temporaryDirectory } from '../../libs/dev-servers/src/index.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ')

/**
 * The test understands only two patterns of .dockerignore. The first pattern excludes everything except some paths. The second pattern
 * excludes files by their name within these paths.
 */
const ignored = read('.dockerignore').trim().split('\n')
const admitted = ignored.filter(line => line.startsWith('!')).map(line => line.slice(1))
const names = ignored.filter(line => /^\*\*\/[\w-]+$/.test(line)).map(line => line.slice('**/'.length))
const endings = ignored.filter(line => line.startsWith('**/*')).map(line => line.slice('**/*'.length))
const isIn = (path: string) => !names.includes(basename(path)) && !endings.some(ending => path.endsWith(ending))

const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].map(([, from, to]) => ({
  from: from!.trim().split(/\s+/),
  to: to!,
}))
const stages = ['service', 'operator'] as const
function installOf(stage: string): readonly string[] {
  const text = dockerfile.split(/^FROM /m).find(each => each.startsWith(`base AS ${stage}\n`))!
  const command = /^RUN pnpm (install .*)$/m.exec(text)![1]!
  return command.replaceAll("'", '').trim().split(/\s+/)
}

const programs = {
  service: ['public-api', 'otlp-gateway', 'staging-propagator', 'merger', 'events-writer', 'backfill-runner'].map(
    name => `services/${name}/src/main.ts`,
  ),
  operator: ['apps/svc/src/main.ts'],
}

test('.dockerignore has only patterns that this test supports', () => {
  expect(ignored).toEqual([
    '**',
    ...admitted.map(path => `!${path}`),
    ...names.map(name => `**/${name}`),
    ...endings.map(ending => `**/*${ending}`),
  ])
  expect(copied.flatMap(({ from }) => from).filter(path => !admitted.includes(path))).toEqual([])
})

describe.each(stages)('the image %s', stage => {
  let directory: TemporaryDirectory
  beforeAll(async () => {
    directory = await temporaryDirectory('svc-image-')
    for (const { from, to } of copied)
      for (const path of from)
        cpSync(join(root, path), join(directory.path, to, to === './' ? path : ''), { recursive: true, filter: isIn })
    const pnpm = join(root, '.toolchain/node_modules/pnpm/bin/pnpm.cjs')
    mkdirSync(join(directory.path, 'home'))
    await run(process.execPath, [pnpm, ...installOf(stage), '--prefer-offline'], {
      cwd: directory.path,
      env: { ...process.env, CI: 'true', NODE_ENV: 'production' },
      maxBuffer: 1 << 26,
    })
  }, 900_000)
  afterAll(() => directory?.remove())

  test.each(programs[stage])(
    'starts %s',
    async program => {
      const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', program, '--help'], {
        cwd: directory.path,
        env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      })
      expect(stdout).toContain('SVC_')
    },
    120_000,
  )

  test('has no test, bench or fixture, and no package that only development needs', async () => {
    const { stdout } = await run('find', ['.', '-path', './node_modules', '-prune', '-o', '-name', '*.test.ts', '-print'], {
      cwd: directory.path,
    })
    expect(stdout.split('\n').filter(line => line !== '' && !line.includes('/node_modules/'))).toEqual([])
    const { stdout: development } = await run('find', ['node_modules/.pnpm', '-maxdepth', '1', '-name', 'vitest@*'], {
      cwd: directory.path,
    })
    expect(development).toBe('')
  })
})

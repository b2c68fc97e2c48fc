// Common generators convert the OpenAPI document to clients in four languages. Each client must compile. If a language is not installed,
// the test for this language fails.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TemporaryDirectory, temporaryDirectory } from '../../libs/dev-servers/src/index.ts'

const document = resolve(import.meta.dirname, '../../docs/openapi.json')

let desk: TemporaryDirectory
beforeAll(async () => {
  desk = await temporaryDirectory('svc-generators-')
})
afterAll(() => desk.remove())

/** Runs a program. Rejects if the program fails or is not installed. The error contains the end of the program's output. */
async function run(
  command: string,
  given: readonly string[],
  { cwd = desk.path, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const child = spawn(command, given, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((done, failed) => {
    child.once('close', done)
    child.once('error', error => failed(new Error(`Could not start '${command}'. Install the program to run this test.`, { cause: error })))
  })
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) throw new Error(`${command} ${given.join(' ')} ended with ${code}:\n${`${out}\n${err}`.slice(-4_000)}`)
  return out
}

async function folder(name: string): Promise<string> {
  const path = join(desk.path, name)
  await mkdir(path, { recursive: true })
  return path
}

test('TypeScript: openapi-typescript, and the compiler', async () => {
  const cwd = await folder('typescript')
  await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}')
  await run('npm', ['install', '--no-audit', '--no-fund', '--silent', 'openapi-typescript@7.13.0', 'typescript@5.9.3'], { cwd })
  const inside = (program: string) => join(cwd, 'node_modules/.bin', program)
  await run(inside('openapi-typescript'), [document, '-o', 'client.ts'], { cwd })
  const use = `import type { components, paths } from './client.ts'
type Read = paths['/api/public/v2/prompts/{promptName}']['get']['responses'][200]['content']['application/json']
export const versionOf = (prompt: Read): number => prompt.version
export const textOf = (prompt: Read): string => (prompt.type === 'text' ? prompt.prompt : prompt.prompt.length.toFixed())
export const key: components['schemas']['ApiKeySummary']['publicKey'] = 'pk'
`
  await writeFile(join(cwd, 'use.ts'), use)
  await run(
    inside('tsc'),
    ['--strict', '--noEmit', '--allowImportingTsExtensions', '--module', 'esnext', '--moduleResolution', 'bundler', 'use.ts'],
    { cwd },
  )
})

test('Python: openapi-python-client without a warning, and every module loads', async () => {
  const cwd = await folder('python')
  await run('python3', ['-m', 'venv', 'env'], { cwd })
  const inside = (program: string) => join(cwd, 'env/bin', program)
  await run(inside('pip'), ['install', '--quiet', '--disable-pip-version-check', 'openapi-python-client==0.29.1'], { cwd })
  await writeFile(join(cwd, 'config.yml'), 'post_hooks: []\n')
  const given = ['generate', '--path', document, '--output-path', 'client', '--config', 'config.yml', '--fail-on-warning']
  await run(inside('openapi-python-client'), given, { cwd })
  const load = `import importlib, pkgutil, svc_api_client
names = [module.name for module in pkgutil.walk_packages(svc_api_client.__path__, 'svc_api_client.')]
for name in names: importlib.import_module(name)
print(len(names))`
  expect(Number(await run(inside('python'), ['-c', load], { cwd: join(cwd, 'client') }))).toBeGreaterThan(500)
})

test('Go: oapi-codegen, and go build', async () => {
  const cwd = await folder('go')
  await run('go', ['install', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'], { cwd, env: { GOBIN: cwd } })
  await run(join(cwd, 'oapi-codegen'), ['-generate', 'types,client', '-package', 'svc', '-o', 'client.go', document], { cwd })
  await run('go', ['mod', 'init', 'svc'], { cwd })
  await run('go', ['get', 'github.com/oapi-codegen/runtime@v1.9.0'], { cwd })
  await run('go', ['build', './...'], { cwd })
})

const generator = {
  artifact: 'org.openapitools:openapi-generator-cli:7.25.0',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
}

test('Java: openapi-generator, and Maven', async () => {
  const cwd = await folder('java')
  const maven = (given: readonly string[], inside = cwd) => run('mvn', ['--quiet', '--batch-mode', ...given], { cwd: inside })
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
  await maven([copy, `-Dartifact=${generator.artifact}`, `-DoutputDirectory=${cwd}`, '-Dmdep.stripVersion=true'])
  const jar = await readFile(join(cwd, 'openapi-generator-cli.jar'))
  expect(createHash('sha256').update(jar).digest('hex')).toBe(generator.sha256)
  await run('java', ['-jar', 'openapi-generator-cli.jar', 'generate', '-i', document, '-g', 'java', '-o', 'client'], { cwd })
  await maven(['compile'], join(cwd, 'client'))
})

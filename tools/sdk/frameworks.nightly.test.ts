// Runs the quickstarts in empty npm projects. Each quickstart runs with the newest and with the oldest supported version of its framework.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicKey, secretKey } from '../../apps/standalone/test/instance.ts'
import { fileHasAnInstance, ports, start } from '../../apps/standalone/test/restarted.ts'
import { SvcClient } from '../../packages/client/src/index.ts'
import { startModelApi } from '../recorder/model-api.mjs'
import { packSdk } from './build.ts'
import { npmInstall } from './npm.ts'
import { findRows, quickstartFiles, quickstarts, quickstartsPage, runFile, tokens } from './quickstart-files.ts'

const named = [...quickstartsPage.matchAll(/^npm install (.*)$/gm)].flatMap(([, packages]) => packages!.split(' '))
const newest = [...new Set(named)].filter(name => !name.startsWith('@svc/') && name !== 'next')
const telemetry = newest.filter(name => name.startsWith('@opentelemetry/'))
const oldest = [
  'openai@6.0.0',
  '@langchain/core@1.0.1',
  '@langchain/openai@1.0.0',
  'ai@7.0.0',
  '@ai-sdk/openai@4.0.0',
  '@ai-sdk/otel@1.0.0',
]

fileHasAnInstance()
let folder: string
let models: Awaited<ReturnType<typeof startModelApi>>
let client: SvcClient
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-frameworks-'))
  await packSdk(join(folder, 'tarballs'))
  models = await startModelApi(0)
  await start({ writeMode: 'events_only', behaviour: 'direct', optIn: 'true' })
  client = new SvcClient({ publicKey, secretKey, baseUrl: `http://127.0.0.1:${ports.PORT}` })
}, 300_000)
afterAll(async () => {
  await models?.close()
  rmSync(folder, { recursive: true, force: true })
})

function project(name: string, packages: readonly string[], files: Iterable<readonly [file: string, text: string]>): void {
  const cwd = join(folder, name)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'application', private: true, type: 'module' }))
  for (const [file, text] of files) writeFileSync(join(cwd, file), text)
  const tarballs = readdirSync(join(folder, 'tarballs')).map(file => join(folder, 'tarballs', file))
  npmInstall(cwd, ['--ignore-scripts', ...tarballs, ...packages])
}

describe.each<[which: string, packages: readonly string[]]>([
  ['newest', newest],
  ['oldest', [...telemetry, ...oldest]],
])('with the %s frameworks', (which, packages) => {
  beforeAll(() => project(which, packages, quickstartFiles), 600_000)

  test.each(quickstarts)('%s', { timeout: 200_000 }, async (file, prints, rows) => {
    const fromStartTime = new Date().toISOString()
    expect(await runFile(join(folder, which), file, models.url)).toBe(prints)
    await findRows(client, fromStartTime, rows)
  })
})

test.each([
  ['5', ['ai@5', '@ai-sdk/openai@2']],
  ['6', ['ai@6', '@ai-sdk/openai@3']],
])('version %s of the AI SDK, which needs no integration', { timeout: 600_000 }, async (version, packages) => {
  const text = quickstartFiles
    .get('ai-sdk.ts')!
    .replace(/^import .*'@ai-sdk\/otel'\n/m, '')
    .replace(/^registerTelemetry.*\n/m, '')
    .replace(', registerTelemetry', '')
    .replace("prompt: 'Say hello.'", '$&, experimental_telemetry: { isEnabled: true }')
  project(`ai-${version}`, [...telemetry, ...packages], [['ai-sdk.ts', text]])
  const fromStartTime = new Date().toISOString()
  expect(await runFile(join(folder, `ai-${version}`), 'ai-sdk.ts', models.url)).toBe(quickstarts.find(([file]) => file === 'ai-sdk.ts')![1])
  await findRows(client, fromStartTime, { 'ai.generateText.doGenerate': { type: 'GENERATION', ...tokens } })
})

// The quickstarts in empty projects of npm, with the newest and the oldest supported versions of the frameworks, a fake model API and the
// packed SDK: the API returns the rows.
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
import { findRows, quickstartFiles, quickstarts, quickstartsPage, runFile } from './quickstart-files.ts'

const named = [...quickstartsPage.matchAll(/^npm install (.*)$/gm)].flatMap(([, packages]) => packages!.split(' '))
const newest = [...new Set(named)].filter(name => !name.startsWith('@svc/') && name !== 'next')
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

describe.each<[which: string, packages: readonly string[]]>([
  ['newest', newest],
  ['oldest', [...newest.filter(name => name.startsWith('@opentelemetry/')), ...oldest]],
])('with the %s frameworks', (which, packages) => {
  const cwd = () => join(folder, which)
  beforeAll(() => {
    mkdirSync(cwd())
    writeFileSync(join(cwd(), 'package.json'), JSON.stringify({ name: 'application', private: true, type: 'module' }))
    for (const [name, text] of quickstartFiles) writeFileSync(join(cwd(), name), text)
    const tarballs = readdirSync(join(folder, 'tarballs')).map(file => join(folder, 'tarballs', file))
    npmInstall(cwd(), ['--ignore-scripts', ...tarballs, ...packages])
  }, 600_000)

  test.each(quickstarts)('%s', { timeout: 200_000 }, async (file, prints, rows) => {
    const fromStartTime = new Date().toISOString()
    expect(await runFile(cwd(), file, models.url)).toBe(prints)
    await findRows(client, fromStartTime, rows)
  })
})

// docs/sdk/quickstarts.md: every file of it, as an application that installed the packed SDK runs it, and what the API has of it afterwards.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { publicKey, secretKey } from '../../apps/standalone/test/instance.ts'
import { fileHasAnInstance, ports, start } from '../../apps/standalone/test/restarted.ts'
import { SvcClient } from '../../packages/client/src/index.ts'
import { startModelApi } from '../recorder/model-api.mjs'
import { type Application, installSdk } from './application.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/sdk/quickstarts.md'), 'utf8')
const files = new Map([...page.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(([, name, text]) => [name!, text!]))
const installed = ['openai', 'ai', '@ai-sdk/openai', '@ai-sdk/otel', '@langchain/openai', '@langchain/core']
const telemetry = ['@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-proto']

/** `after` of Next.js: a platform waits for what it was given once the response is out. */
const nextServer = `const waiting = []
export const after = work => waiting.push(work)
export const afterResponse = () => Promise.all(waiting)
`
const caller = `import { afterResponse } from 'next/server'
import { register } from './instrumentation.ts'
import { POST } from './route.ts'
register()
const response = await POST(new Request('http://localhost', { method: 'POST', body: JSON.stringify({ question: 'Why?' }) }))
console.log(await response.text())
await afterResponse()
`

fileHasAnInstance()
let application: Application
let models: Awaited<ReturnType<typeof startModelApi>>
let client: SvcClient
beforeAll(async () => {
  const started = start({ writeMode: 'events_only', behaviour: 'direct', optIn: 'true' })
  application = await installSdk([...installed.filter(name => !['openai', '@langchain/core'].includes(name)), ...telemetry])
  models = await startModelApi(0)
  mkdirSync(join(application.folder, 'app'))
  application.write('app/package.json', JSON.stringify({ type: 'module' }))
  for (const [name, text] of files) application.write(`app/${name}`, text)
  mkdirSync(join(application.folder, 'node_modules/next'))
  writeFileSync(join(application.folder, 'node_modules/next/server.js'), nextServer)
  writeFileSync(
    join(application.folder, 'node_modules/next/package.json'),
    JSON.stringify({ name: 'next', type: 'module', exports: { './server': './server.js' } }),
  )
  application.write('app/call.ts', caller)
  await started
  client = new SvcClient({ publicKey, secretKey, baseUrl: `http://127.0.0.1:${ports.PORT}` })
}, 300_000)
afterAll(async () => {
  await models?.close()
  application?.remove()
})

async function run(file: string): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    SVC_PUBLIC_KEY: publicKey,
    SVC_SECRET_KEY: secretKey,
    SVC_BASE_URL: `http://127.0.0.1:${ports.PORT}`,
    OPENAI_API_KEY: 'sk-model',
    OPENAI_BASE_URL: `${models.url}/v1`,
  }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    cwd: join(application.folder, 'app'),
    env,
  })
  expect(stderr).toBe('')
  return stdout
}

const model = 'It is sunny in Zürich: 21 °C. ☀️'
const tokens = { usageDetails: { total: 59 } }

describe('each quickstart', () => {
  test.each<[file: string, prints: string, rows: Readonly<Record<string, object>>]>([
    [
      'node.ts',
      '',
      {
        answer: { type: 'SPAN', userId: 'ada', sessionId: 'chat-1', input: 'What is a span?', output: 'A timed step.' },
        search: { type: 'RETRIEVER', userId: 'ada' },
        draft: { type: 'GENERATION', usageDetails: { input: 12, output: 4 } },
      },
    ],
    ['openai.ts', model, { greet: { type: 'GENERATION', userId: 'ada', ...tokens } }],
    ['langchain.ts', '', { 'greet-chain': { userId: 'ada' }, ChatOpenAI: { type: 'GENERATION', ...tokens } }],
    ['ai-sdk.ts', `${model}\n`, { 'chat gpt-5-mini': { type: 'GENERATION', ...tokens } }],
    ['call.ts', '{"answer":"You asked: Why?"}\n', { 'POST /api/answer': { input: 'Why?', output: 'You asked: Why?' } }],
    ['otel.ts', '', { 'chat gpt-5-mini': { type: 'GENERATION', userId: 'ada', usageDetails: { input: 12 } } }],
  ])('%s', { timeout: 200_000 }, async (file, prints, rows) => {
    const fromStartTime = new Date().toISOString()
    expect(await run(file)).toBe(prints)
    await vi.waitFor(
      async () => {
        const { data } = await client.api.observations.getMany({ fromStartTime, fields: 'core,basic,io,usage' })
        const found = Object.fromEntries(Object.keys(rows).map(name => [name, data.find(row => row.name === name)]))
        expect(found).toMatchObject(rows)
      },
      { timeout: 60_000, interval: 200 },
    )
  })
})

test('the page has no file that is not run', () => {
  expect([...files.keys()].sort()).toEqual([
    'ai-sdk.ts',
    'instrumentation.ts',
    'langchain.ts',
    'node.ts',
    'openai.ts',
    'otel.ts',
    'route.ts',
  ])
})

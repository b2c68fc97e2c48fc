// Runs every file of docs/sdk/quickstarts.md, and every example of the READMEs and of the page on migrating, in an application with the
// packed SDK, and checks the resulting data in the API.
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
import { exampleModule, migratingExamples, readmeExamples } from './examples.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/sdk/quickstarts.md'), 'utf8')
const files = new Map([...page.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(([, name, text]) => [name!, text!]))
const installed = ['openai', 'ai', '@ai-sdk/openai', '@ai-sdk/otel', '@langchain/openai', '@langchain/core']
const telemetry = ['@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-proto']

/** A stub for `after` of Next.js: once the response is sent, a platform waits for the given promises. */
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
  // Not in parallel with packing, which occupies all of a small machine.
  await start({ writeMode: 'events_only', behaviour: 'direct', optIn: 'true' })
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

/** Waits for rows with these names and fields. */
async function findRows(fromStartTime: string, rows: Readonly<Record<string, object>>): Promise<void> {
  await vi.waitFor(
    async () => {
      const { data } = await client.api.observations.getMany({ fromStartTime, fields: 'core,basic,io,usage', limit: 1000 })
      const found = Object.fromEntries(Object.keys(rows).map(name => [name, data.find(row => row.name === name)]))
      expect(found).toMatchObject(rows)
    },
    { timeout: 60_000, interval: 200 },
  )
}

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
    await findRows(fromStartTime, rows)
  })
})

describe('each example', () => {
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
  const fromStartTime = new Date().toISOString()
  const scoreNames = async () => (await client.api.scores.getMany({ limit: 100 })).data.map(({ name }) => name)
  beforeAll(async () => {
    const labels = ['production']
    await client.prompt.create({ name: 'greeting', prompt: 'Hello {{name}}', labels })
    await client.prompt.create({ name: 'ask', type: 'chat', prompt: [{ role: 'user', content: '{{question}}' }], labels })
    await client.api.datasets.create({ name: 'questions' })
    await client.dataset.createItem({ datasetName: 'questions', input: 'Why?', expectedOutput: 'Because.' })
  })

  test('of the READMEs', { timeout: 300_000 }, async () => {
    const examples = ['otel', 'tracing', 'core', 'client', 'langchain', 'openai', 'browser'].flatMap(readmeExamples)
    const { imports, functions } = exampleModule(examples)
    const calls = `await runAll(example0, [${examples.slice(1).map((_, at) => `example${at + 1}`)}])`
    const text = [imports, fixture('readmes-run.txt'), functions, calls].join('\n')
    application.write(
      'app/readmes.ts',
      text.replace('pk-…', publicKey).replace('https://svc.example.com', `http://127.0.0.1:${ports.PORT}`),
    )
    expect(await run('readmes.ts')).toContain('/experiments/results?baseline=')
    const ada = { userId: 'user-1', sessionId: 'session-1' }
    await findRows(fromStartTime, {
      ...{ answer: { ...ada, input: 'Why?', output: 'Because.' }, search: { type: 'RETRIEVER', ...ada }, draft: { type: 'GENERATION' } },
      ...{ 'answer 1': ada, 'experiment-item-run': { output: 'Because.' }, RunnableSequence: ada, 'OpenAI.chat': { ...ada, ...tokens } },
    })
    await expect.poll(scoreNames, { timeout: 60_000 }).toEqual(expect.arrayContaining(['helpful', 'length', 'exact', 'liked']))
  })

  test('of the page on migrating', { timeout: 300_000 }, async () => {
    const examples = migratingExamples('v6')
    const { functions } = exampleModule(examples)
    const calls = `await runAll([${examples.map((_, at) => `example${at}`)}])`
    const text = [fixture('migrating-run.txt'), functions, calls].join('\n')
    application.write('app/migrating.ts', text)
    expect(await run('migrating.ts')).toContain('/experiments/results?baseline=')
    await findRows(fromStartTime, { migrated: { input: 'Why?', output: 'Because.' } })
  })
})

test('the test runs every file of the page', () => {
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

// Runs the quickstarts and all examples with the packed SDK, and checks the data that the API returns.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicKey, secretKey } from '../../apps/standalone/test/instance.ts'
import { fileHasAnInstance, ports, start } from '../../apps/standalone/test/restarted.ts'
import { SvcClient } from '../../packages/client/src/index.ts'
import { startModelApi } from '../recorder/model-api.mjs'
import { type Application, installSdk } from './application.ts'
import { exampleFunctions, migratingExamples, readmeProgram } from './examples.ts'
import { findRows, quickstartFiles, quickstarts, type Rows, runFile, tokens } from './quickstart-files.ts'

const installed = ['openai', 'ai', '@ai-sdk/openai', '@ai-sdk/otel', '@langchain/openai', '@langchain/core']
const telemetry = ['@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-proto']

/** A stub of the function `after` of Next.js. After the response, a platform waits for the promises that `after` received. */
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
  for (const [name, text] of quickstartFiles) application.write(`app/${name}`, text)
  mkdirSync(join(application.folder, 'node_modules/next'))
  writeFileSync(join(application.folder, 'node_modules/next/server.js'), nextServer)
  writeFileSync(
    join(application.folder, 'node_modules/next/package.json'),
    JSON.stringify({ name: 'next', type: 'module', exports: { './server': './server.js' } }),
  )
  application.write('app/call.ts', caller)
  // Packing uses all cores of a small machine. The test therefore starts the instance after packing.
  await start({ writeMode: 'events_only', behaviour: 'direct', optIn: 'true' })
  client = new SvcClient({ publicKey, secretKey, baseUrl: `http://127.0.0.1:${ports.PORT}` })
}, 300_000)
afterAll(async () => {
  await models?.close()
  application?.remove()
})

const run = (file: string) => runFile(join(application.folder, 'app'), file, models.url)

describe('each quickstart', () => {
  test.each<(typeof quickstarts)[number]>([
    ...quickstarts,
    ['call.ts', '{"answer":"You asked: Why?"}\n', { 'POST /api/answer': { input: 'Why?', output: 'You asked: Why?' } }],
  ])('%s', { timeout: 200_000 }, async (file, prints, rows) => {
    const fromStartTime = new Date().toISOString()
    expect(await run(file)).toBe(prints)
    await findRows(client, fromStartTime, rows)
  })
})

describe('each example', () => {
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
  const ada = { userId: 'user-1', sessionId: 'session-1' }
  const scoreNames = async () => (await client.api.scores.getMany({ limit: 100 })).data.map(({ name }) => name)
  beforeAll(async () => {
    const prompt = [{ role: 'user', content: '{{question}}' }]
    await client.prompt.create({ name: 'ask', type: 'chat', prompt, labels: ['production'] })
    await client.api.datasets.create({ name: 'questions' })
    await client.dataset.createItem({ datasetName: 'questions', id: 'why', input: 'Why?', expectedOutput: 'You asked: Why?' })
  })

  test.each<[name: string, prints: RegExp, rows: Rows]>([
    ['otel', /^$/, {}],
    ['core', /^$/, {}],
    ['browser', /^$/, {}],
    ['tracing', /^$/, { answer: { ...ada, input: 'Why?', output: 'Because.' }, search: { type: 'RETRIEVER', ...ada }, draft: ada }],
    [
      'client',
      /Hello Ada[\s\S]*exact: 1\.000[\s\S]*\/experiments\/results\?baseline=/,
      { 'experiment-item-run': { output: 'You asked: Why?' } },
    ],
    ['langchain', /^[0-9a-f]{32}\n$/, { RunnableSequence: ada, ChatOpenAI: { type: 'GENERATION', ...ada, ...tokens } }],
    ['openai', /^$/, { 'OpenAI.chat': { ...ada, ...tokens } }],
  ])('of the README of %s', { timeout: 200_000 }, async (name, prints, rows) => {
    const since = new Date().toISOString()
    const text = readmeProgram(name).replace('pk-…', publicKey).replace('https://svc.example.com', `http://127.0.0.1:${ports.PORT}`)
    application.write(`app/readme-${name}.ts`, text)
    expect(await run(`readme-${name}.ts`)).toMatch(prints)
    await findRows(client, since, rows)
  })

  test('of the READMEs send scores', { timeout: 100_000 }, async () => {
    await expect.poll(scoreNames, { timeout: 60_000 }).toEqual(expect.arrayContaining(['helpful', 'exact', 'liked']))
  })

  test('of the page on migrating', { timeout: 300_000 }, async () => {
    const fromStartTime = new Date().toISOString()
    const examples = migratingExamples('v6')
    const functions = exampleFunctions(examples)
    const calls = `await runAll([${examples.map((_, at) => `example${at}`)}])`
    const text = [fixture('migrating-run.txt'), functions, calls].join('\n')
    application.write('app/migrating.ts', text)
    expect(await run('migrating.ts')).toContain('/experiments/results?baseline=')
    await findRows(client, fromStartTime, { migrated: { input: 'Why?', output: 'Because.' } })
  })
})

test('the test runs every file of the page', () => {
  expect([...quickstartFiles.keys()].sort()).toEqual([
    'ai-sdk.ts',
    'instrumentation.ts',
    'langchain.ts',
    'node.ts',
    'openai.ts',
    'otel.ts',
    'route.ts',
  ])
})

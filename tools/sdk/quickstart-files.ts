// Reads the files in docs/sdk/quickstarts.md. For each file, lists the expected output and the expected rows.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import { publicKey, secretKey } from '../../apps/standalone/test/instance.ts'
import { ports } from '../../apps/standalone/test/restarted.ts'
import type { SvcClient } from '../../packages/client/src/index.ts'

export const quickstartsPage: string = readFileSync(resolve(import.meta.dirname, '../../docs/sdk/quickstarts.md'), 'utf8')
export const quickstartFiles = new Map([...quickstartsPage.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(([, name, text]) => [name!, text!]))

export type Rows = Readonly<Record<string, object>>

const model = 'It is sunny in Zürich: 21 °C. ☀️'
export const tokens = { usageDetails: { total: 59 } }

export const quickstarts: readonly [file: string, prints: string, rows: Rows][] = [
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
  ['otel.ts', '', { 'chat gpt-5-mini': { type: 'GENERATION', userId: 'ada', usageDetails: { input: 12 } } }],
]

export async function runFile(cwd: string, file: string, modelApi: string): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    SVC_PUBLIC_KEY: publicKey,
    SVC_SECRET_KEY: secretKey,
    SVC_BASE_URL: `http://127.0.0.1:${ports.PORT}`,
    OPENAI_API_KEY: 'sk-model',
    OPENAI_BASE_URL: `${modelApi}/v1`,
  }
  const args = ['--disable-warning=ExperimentalWarning', file]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd, env })
  expect(stderr).toBe('')
  return stdout
}

export async function findRows(client: SvcClient, fromStartTime: string, rows: Rows): Promise<void> {
  await vi.waitFor(
    async () => {
      const { data } = await client.api.observations.getMany({ fromStartTime, fields: 'core,basic,io,usage', limit: 1000 })
      const found = Object.fromEntries(Object.keys(rows).map(name => [name, data.find(row => row.name === name)]))
      expect(found).toMatchObject(rows)
    },
    { timeout: 60_000, interval: 200 },
  )
}

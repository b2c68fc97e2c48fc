import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { command } from '../src/commands/query.ts'
import { answerWithoutStores, isLocal } from '../src/run.ts'

let server: Server
let url: string
let asked: IncomingMessage[] = []
let answer: (response: ServerResponse) => void
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request)
    answer(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  asked = []
})
afterAll(() => new Promise(resolve => server.close(resolve)))

const json = (body: object, status = 200) => {
  answer = response => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function query(args: readonly string[], env: Readonly<Record<string, string>> = { SVC_PUBLIC_KEY: 'pk', SVC_SECRET_KEY: 'sk:2' }) {
  const lines: string[] = []
  const context = { env: { SVC_BASE_URL: `${url}/base/`, ...env }, print: (line: string) => void lines.push(line) }
  await command.run(args, context as never)
  return lines.join('\n')
}

test('waits for Retry-After, and names a longer wait in the error', async () => {
  const answers: ((response: ServerResponse) => void)[] = [
    response => response.writeHead(429, { 'retry-after': '1' }).end('{"message":"Rate limit exceeded"}'),
    response => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"a"}],"meta":{}}'),
    response => response.writeHead(429, { 'retry-after': '3600' }).end('{"message":"Rate limit exceeded"}'),
  ]
  answer = response => answers.shift()!(response)
  const startedMs = performance.now()
  expect(await query(['observations'])).toContain('a')
  expect(performance.now() - startedMs).toBeGreaterThan(950)
  await expect(query(['observations'])).rejects.toThrow('responded 429: Rate limit exceeded. Try again in 3600 s.')
  expect(asked).toHaveLength(3)
})

test('prints a page as a table of the columns with values, truncates long texts, and names the next cursor', async () => {
  json({
    data: [
      { id: 'a', name: 'x\ny', endTime: null, cost: 1.5 },
      { id: 'b', name: 'n'.repeat(60), endTime: null, cost: 20 },
    ],
    meta: { cursor: 'next' },
  })
  const out = await query([
    'observations',
    '--level',
    'ERROR',
    '--limit',
    '2',
    '--environment',
    'a',
    '--environment',
    'b',
    '--filter',
    '[]',
  ])
  expect(out.split('\n').map(line => line.trimEnd())).toEqual([
    `id  name${' '.repeat(46)}cost`,
    `a   x y${' '.repeat(48)}1.5`,
    `b   ${'n'.repeat(47)}…    20`,
    '',
    'More rows follow: --cursor next',
  ])
  const [{ url: path, headers }] = asked as [IncomingMessage]
  expect(path).toBe('/base/api/public/v2/observations?limit=2&level=ERROR&environment=a&environment=b&filter=%5B%5D')
  expect(headers.authorization).toBe(`Basic ${Buffer.from('pk:sk:2').toString('base64')}`)
})

test('metrics accepts a query of the API', async () => {
  json({ data: [{ providedModelName: 'gpt, "4"', sum_totalCost: 0.3, tags: ['a'] }] })
  const text = '{"view":"observations"}'
  expect(await query(['metrics', text, '--csv'])).toBe('"providedModelName","sum_totalCost","tags"\n"gpt, ""4""",0.3,"[""a""]"')
  expect(asked[0]!.url).toBe(`/base/api/public/v2/metrics?query=${encodeURIComponent(text)}`)
  expect(JSON.parse(await query(['metrics', text, '--json']))).toEqual({ data: [expect.objectContaining({ sum_totalCost: 0.3 })] })
  json({ data: [] })
  expect(await query(['metrics', text])).toBe('No rows.')
})

test('prints all observations as CSV and verifies the checksum of the stream', async () => {
  const csv = '"id","name"\n"é","line\nbreak"\n'
  const stream = (sum: string) => {
    answer = response => {
      response.writeHead(200, { 'content-type': 'text/csv', trailer: 'x-svc-sha256' })
      for (const byte of Buffer.from(csv)) response.write(Buffer.of(byte))
      response.addTrailers({ 'x-svc-sha256': sum })
      response.end()
    }
  }
  stream(createHash('sha256').update(csv).digest('hex'))
  expect(`${await query(['observations', '--csv'])}\n`).toBe(csv)
  expect(asked[0]!.headers.accept).toBe('text/csv')
  stream('other')
  await expect(query(['observations', '--csv'])).rejects.toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('checksum'),
  })
  answer = response => {
    response.writeHead(200, { 'content-type': 'text/csv' })
    response.write('"id"\n')
    response.socket!.end()
  }
  await expect(query(['observations', '--csv'])).rejects.toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('ended early'),
  })
})

test('reports the reason for every rejection', async () => {
  json({ message: 'Invalid request data', error: [{ path: ['limit'], message: 'Expected a whole number.' }] }, 400)
  await expect(query(['observations', '--limit', 'x'])).rejects.toThrow('Invalid request data limit: Expected a whole number.')
  json({ message: 'Invalid credentials.' }, 401)
  await expect(query(['observations'])).rejects.toMatchObject({
    code: 'query_failed',
    message: expect.stringContaining('401: Invalid credentials.'),
  })
  for (const [args, message] of [
    [[], 'give observations or metrics'],
    [['traces'], 'give observations or metrics'],
    [['observations', '--color', 'red'], 'color'],
    [['observations', '--json', '--csv'], 'not both'],
    [['metrics'], 'one QUERY'],
    [['observations', '--url', 'ftp://x'], 'no http:// or https:// address'],
  ] as const) {
    await expect(query(args)).rejects.toThrow(message)
  }
  await expect(query(['observations'], {})).rejects.toThrow('No key pair is given')
  await expect(query(['observations', '--url', 'http://127.0.0.1:9'])).rejects.toMatchObject({ code: 'query_failed' })
})

test('opens no store, and its help names every parameter', async () => {
  expect(isLocal(['query', 'observations'])).toBe(true)
  const { text, exitCode } = (await answerWithoutStores(['query', '--help']))!
  expect(exitCode).toBe(0)
  for (const word of ['fromStartTime', 'expandMetadata', '--csv', 'SVC_SECRET_KEY']) expect(text).toContain(word)
})

// Runs the packed SDK in a page of a real Chromium. The page and the server have different origins. The page sends scores with the public
// key, and sends spans with fetch.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../apps/web/test/browser.ts'
import { type Application, installSdk } from './application.ts'

interface Received {
  readonly call: string
  readonly authorization: string | undefined
  readonly body: string
}

const received: Received[] = []
const service = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-headers', '*, authorization')
  response.setHeader('content-type', 'application/json')
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end()
    return
  }
  const { authorization } = request.headers
  received.push({ call: `${request.method} ${request.url}`, authorization, body: Buffer.concat(chunks).toString() })
  response.end(request.url!.endsWith('/scores') ? '{"message":"accepted"}' : '{}')
})
let script = ''
const pages = createServer((request, response) => {
  const isScript = request.url === '/app.js'
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
  response.end(isScript ? script : '<!doctype html><title>page</title><script type="module" src="/app.js"></script>')
})

const source = readFileSync(resolve(import.meta.dirname, 'fixtures/page.txt'), 'utf8')

let application: Application
beforeAll(async () => {
  application = await installSdk()
  for (const server of [service, pages]) await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  const stdin = { contents: source, resolveDir: application.folder }
  const define = { SERVICE_URL: JSON.stringify(addressOf(service)) }
  const bundled = await build({
    stdin,
    define,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
  })
  script = bundled.outputFiles[0]!.text
})
afterAll(() => {
  service.close()
  pages.close()
  application?.remove()
})
const addressOf = (server: typeof service) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a page sends a score and spans', async () => {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('pageerror', error => complaints.push(String(error)))
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(`${addressOf(pages)}/`)
    await page.waitForFunction('globalThis.outcome')
    expect(await page.evaluate('globalThis.outcome')).toEqual({ id: 'liked-1' })
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
  const [score, spans] = ['POST /api/public/scores', 'POST /api/public/otel/v1/traces'].map(call =>
    received.find(each => each.call === call),
  )
  expect(score).toMatchObject({ authorization: 'Bearer pk', body: expect.stringContaining('"environment":"web"') as string })
  expect(spans).toMatchObject({ authorization: `Basic ${btoa('pk:sk')}`, body: expect.stringContaining('Grüße') as string })
  expect(received).toHaveLength(2)
})

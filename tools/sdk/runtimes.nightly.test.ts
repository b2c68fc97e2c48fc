// Runs the packed SDK in every supported runtime.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Application, installSdk } from './application.ts'
import { npmInstall } from './npm.ts'

/** Versions of the runtimes' npm packages. */
const runtimes = { bun: '1.4.5', deno: '2.9.6', node: '22.23.3' }
const cache = resolve(import.meta.dirname, '../../.cache/runtimes')

const program = `import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { SvcClient } from '@svc/client'
import { SvcSpanProcessor } from '@svc/otel'
import { setSvcTracerProvider, startObservation } from '@svc/tracing'

const processor = new SvcSpanProcessor()
setSvcTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
const root = startObservation('answer', { input: 'Why?' })
root.startObservation('draft', { model: 'm' }, { asType: 'generation' }).end()
root.end()
const client = new SvcClient()
client.score.create({ name: 'helpful', value: 1, traceId: root.traceId })
const { version } = await client.api.health.health()
await client.flush()
await processor.shutdown()
console.log(version)
`

let application: Application
let server: Server
const requests: { path: string; body: string }[] = []
beforeAll(async () => {
  application = await installSdk()
  application.write('program.mjs', program)
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    requests.push({ path: request.url!, body: (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString() })
    response.writeHead(request.url!.endsWith('/scores') ? 202 : 200, { 'content-type': 'application/json' })
    response.end(request.url!.endsWith('/health') ? '{"status":"OK","version":"4.59.0"}' : '{"accepted":1}')
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  if (!Object.keys(runtimes).every(name => existsSync(join(cache, 'node_modules/.bin', name)))) {
    const packages = Object.entries(runtimes).map(([name, version]) => `${name}@${version}`)
    mkdirSync(cache, { recursive: true })
    npmInstall(cache, ['--no-save', '--prefix', cache, ...packages])
  }
}, 600_000)
afterAll(() => {
  server?.close()
  application?.remove()
})

const installed = (name: keyof typeof runtimes) => join(cache, 'node_modules/.bin', name)

test.each<[name: string, command: string, args: readonly string[]]>([
  ['Node.js 22', installed('node'), []],
  ['Node.js 24', process.execPath, []],
  ['Bun', installed('bun'), []],
  ['Deno', installed('deno'), ['run', '--allow-all', '--node-modules-dir=manual']],
])('%s', async (_, command, args) => {
  requests.length = 0
  const { stdout } = await promisify(execFile)(command, [...args, 'program.mjs'], {
    cwd: application.folder,
    env: {
      PATH: process.env['PATH'],
      HOME: application.folder,
      SVC_PUBLIC_KEY: 'pk',
      SVC_SECRET_KEY: 'sk',
      SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    timeout: 60_000,
  })
  expect(stdout.trim()).toBe('4.59.0')
  const bodies = (end: string) => requests.filter(({ path }) => path.endsWith(end)).map(({ body }) => body)
  expect(bodies('/otel/v1/traces').join()).toMatch(/answer/)
  expect(bodies('/otel/v1/traces').join()).toMatch(/draft/)
  expect(bodies('/api/public/scores').map(body => JSON.parse(body))).toMatchObject([[{ name: 'helpful', value: 1 }]])
})

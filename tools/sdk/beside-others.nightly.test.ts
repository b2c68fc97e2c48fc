// Runs the packed SDK in one application with Sentry's or Datadog's SDK. Observations must arrive, and the other SDK's spans must not
// change.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packSdk } from './build.ts'
import { npmInstall } from './npm.ts'

const telemetry = [
  'api@1.9.1',
  ...['core', 'sdk-trace-base', 'sdk-trace-node'].map(name => `${name}@2.12.1`),
  'exporter-trace-otlp-http@0.223.1',
]
const vendors = ['sentry-11@npm:@sentry/node@11.12.0', 'sentry-10@npm:@sentry/node@10.78.0', 'dd-trace@6.21.0']
const older = 'sdk-1@npm:@opentelemetry/sdk-trace-node@1.30.1'

let folder: string
const tarball = (name: string): string =>
  join(folder, 'tarballs', readdirSync(join(folder, 'tarballs')).find(file => file.includes(`-${name}-`))!)

interface Seen {
  readonly name: string
  readonly id: string
  readonly parent: string | undefined
}

const received: { path: string; body: string }[] = []
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  received.push({ path: request.url!, body: (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString() })
  response.end('{}')
})
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-beside-'))
  await packSdk(join(folder, 'tarballs'))
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'application', private: true, type: 'module' }))
  npmInstall(folder, [...['core', 'tracing', 'otel'].map(tarball), ...telemetry.map(name => `@opentelemetry/${name}`), ...vendors, older])
}, 600_000)
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Vendor {
  /** Code that declares `theirSpans()` and `theirs(name, fn)`. `theirs` runs `fn` in a span of the other SDK. */
  readonly program: string
  readonly init: string
}

const sentry = (version: number): Pick<Vendor, 'program'> => ({
  program: `
    import * as Sentry from 'sentry-${version}'
    const sent = []
    const transport = () => ({ send: async envelope => (sent.push(...envelope[1]), {}), flush: async () => true })
    const options = { dsn: 'http://key@127.0.0.1:1/1', tracesSampleRate: 1, transport }
    const theirs = (name, fn) => Sentry.startSpan({ name }, fn)
    async function theirSpans() {
      await Sentry.flush(5000)
      return sent.flatMap(([{ type }, body]) => {
        if (type === 'span') return body.items.map(span => ({ name: span.name, id: span.span_id, parent: span.parent_span_id }))
        if (type !== 'transaction') return []
        const { span_id: id, parent_span_id: parent } = body.contexts.trace
        return [{ name: body.transaction, id, parent }, ...body.spans.map(span => ({ name: span.description, id: span.span_id, parent: span.parent_span_id }))]
      })
    }`,
})
const datadog = (program: string): Pick<Vendor, 'program'> => ({
  program: `
    import datadog from 'dd-trace'
    const lines = []
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = (text, ...others) => (String(text).startsWith('{"traces"') ? (lines.push(String(text)), true) : write(text, ...others))
    ${program}
    async function theirSpans() {
      for (let tries = 0; lines.length === 0 && tries < 100; tries++) await new Promise(resolve => setTimeout(resolve, 50))
      const id = text => (Number(\`0x\${text}\`) === 0 ? undefined : text)
      return lines.flatMap(line => JSON.parse(line).traces.flat()).map(span => ({ name: span.resource, id: span.span_id, parent: id(span.parent_id) }))
    }`,
})
const register = 'provider.register()'

const vendorsByName: Readonly<Record<string, Vendor & { readonly ours: string }>> = {
  'Sentry 11': { ...sentry(11), init: 'Sentry.init(options)', ours: register },
  'Sentry 10 with the processor': {
    ...sentry(10),
    init: 'Sentry.init({ ...options, openTelemetrySpanProcessors: [processor] })',
    ours: '',
  },
  Datadog: {
    ...datadog("const theirs = (name, fn) => datadog.trace('their', { resource: name }, fn)"),
    init: 'datadog.init({ plugins: false })',
    ours: register,
  },
  'the provider of Datadog': {
    ...datadog(`
    const theirs = (name, fn) => trace.getTracer('theirs').startActiveSpan(name, async span => { await fn(); span.end() })`),
    init: 'datadog.init({ plugins: false }); new datadog.TracerProvider().register()',
    ours: 'setSvcTracerProvider(provider)',
  },
}

async function run(name: string, order: readonly string[]): Promise<{ ours: Seen[]; theirs: Seen[] }> {
  const text = `
    import { trace } from '@opentelemetry/api'
    import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
    import { SvcSpanProcessor } from '@svc/otel'
    import { observe, setSvcTracerProvider, startActiveObservation, startObservation } from '@svc/tracing'
    ${vendorsByName[name]!.program}
    const processor = new SvcSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: '${url()}' })
    const provider = new NodeTracerProvider({ spanProcessors: [processor] })
    ${order.join('\n')}
    const inner = observe(async () => startObservation('leaf').end(), { name: 'inner' })
    await theirs('request', () =>
      startActiveObservation('answer', async () => {
        await inner()
        await theirs('query', async () => {})
        startObservation('last').end()
      }),
    )
    await processor.forceFlush()
    console.log(JSON.stringify(await theirSpans()))
    process.exit(0)`
  writeFileSync(join(folder, 'program.mjs'), text)
  received.length = 0
  const env = {
    PATH: process.env['PATH'],
    DD_TRACE_EXPERIMENTAL_EXPORTER: 'log',
    DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
    DD_REMOTE_CONFIGURATION_ENABLED: 'false',
  }
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder, env, timeout: 60_000 })
  const requests = received.filter(({ path }) => path === '/api/public/otel/v1/traces').map(({ body }) => body)
  type Scopes = { scopeSpans: { spans: { name: string; spanId: string; parentSpanId?: string }[] }[] }
  const ours = requests
    .flatMap(body => (JSON.parse(body) as { resourceSpans: Scopes[] }).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ name: of, spanId: id, parentSpanId: parent }) => ({ name: of, id, parent: parent || undefined }))
  return { ours, theirs: JSON.parse(stdout.trim().split('\n').at(-1)!) as Seen[] }
}

describe.each(Object.entries(vendorsByName))('%s', (name, { init, ours: own }) => {
  test.each([
    ['before', [init, own]],
    ['after', [own, init]],
  ])('registered %s', async (_, order) => {
    const { ours, theirs } = await run(name, order)
    const all = [...ours, ...theirs]
    const nameOfParent = ({ parent }: Seen) => all.find(({ id }) => id === parent)?.name
    const parents = (spans: readonly Seen[], names: readonly string[]) =>
      Object.fromEntries(names.map(each => [each, nameOfParent(spans.find(span => span.name === each)!)]))
    expect(ours.map(span => span.name).sort()).toEqual(['answer', 'inner', 'last', 'leaf'])
    expect(parents(ours, ['inner', 'leaf', 'last'])).toEqual({ inner: 'answer', leaf: 'inner', last: 'answer' })
    const isShared = theirs.some(span => span.name === 'answer')
    expect(parents(theirs, ['request', 'query'])).toEqual({ request: undefined, query: isShared ? 'answer' : 'request' })
    // The other SDK must not record the requests in which our SDK sends spans.
    const names = ['query', 'request', ...(isShared ? ours.map(span => span.name) : [])]
    expect(theirs.map(span => span.name).sort()).toEqual(names.sort())
  })
})

test('with a provider of SDK 1 of OpenTelemetry, a warning says why no span arrives', async () => {
  const text = `
    import { NodeTracerProvider } from 'sdk-1'
    import { SvcSpanProcessor } from '@svc/otel'
    import { startActiveObservation, startObservation } from '@svc/tracing'
    const processor = new SvcSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: '${url()}' })
    new NodeTracerProvider({ spanProcessors: [processor] }).register()
    startActiveObservation('answer', () => startObservation('leaf').end())
    await processor.shutdown()`
  writeFileSync(join(folder, 'program.mjs'), text)
  received.length = 0
  const { stderr } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder, timeout: 60_000 })
  expect(stderr).toMatch(/^\S+ \[Svc SDK\] \[WARN\] 2 spans were lost: their tracer provider belongs to SDK 1 of OpenTelemetry.*\n$/)
  expect(received).toEqual([])
})

test('LangChain below 1.0 is a conflict of peer dependencies', () => {
  const empty = join(folder, 'tarballs')
  writeFileSync(join(empty, 'package.json'), JSON.stringify({ name: 'older', private: true }))
  const packages = [...['core', 'tracing', 'langchain'].map(tarball), '@langchain/core@0.3.80']
  expect(() => npmInstall(empty, packages)).toThrow(/ERESOLVE[\s\S]*@langchain\/core@"\^1\.0\.0"/)
})

// Real exporters send spans. The rows of these spans must be readable within five seconds.
import { request as httpRequest } from 'node:http'
import { context, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { createSpanGenerator, isAsked, type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { authorization, freePorts, type Instance, type Ports, ready, startInstance, svc } from './instance.ts'

let directory: TemporaryDirectory
let ports: Ports
let instance: Instance

beforeAll(async () => {
  directory = await instanceDirectory()
  ports = await freePorts()
  instance = await ready(startInstance(directory.path, ports))
})

afterAll(async () => {
  await instance.end('SIGINT')
  await directory.remove()
})

const exporters = {
  'exporter-trace-otlp-proto': (options: ConstructorParameters<typeof ProtoExporter>[0]): SpanExporter => new ProtoExporter(options),
  'exporter-trace-otlp-http': (options: ConstructorParameters<typeof JsonExporter>[0]): SpanExporter => new JsonExporter(options),
}

async function exportTwoSpans(
  name: keyof typeof exporters,
  headers: Record<string, string>,
  compression: 'gzip' | 'none',
): Promise<string> {
  const exporter = exporters[name]({
    url: instance.tracesUrl,
    headers: { authorization, ...headers },
    compression: compression as never,
  })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'first-span' }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('first-span', '1.0.0')
  const root = tracer.startSpan('question', { attributes: { 'user.id': 'user-1', 'svc.trace.tags': ['a', 'b'] } })
  const child = tracer.startSpan(
    'chat',
    { attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'a-model', 'svc.observation.input': 'Zeilen\n\nDROP' } },
    trace.setSpan(context.active(), root),
  )
  child.end()
  root.end()
  await provider.forceFlush()
  await provider.shutdown()
  return root.spanContext().traceId
}

describe.each((Object.keys(exporters) as (keyof typeof exporters)[]).map((name, at) => [name, at] as const))('%s', (name, at) => {
  // The quick run does not test all pairs of an exporter and a compression. It tests each exporter and each compression at least once.
  describe.each((['gzip', 'none'] as const).filter((_, law) => isAsked(at, law, 2)))('compression %s', compression => {
    test.each([
      ['header 4', { 'x-svc-ingestion-version': '4' }],
      ['no header', {}],
    ])('%s: rows in both tables within 5 seconds', async (_, headers) => {
      const traceId = await exportTwoSpans(name, headers, compression)
      for (const table of ['events_full', 'events_core']) {
        const rows = await waitFor(
          async () => {
            const found = await instance.query<Record<string, unknown>>(
              `SELECT name, type, parent_span_id, user_id, tags, input, provided_model_name, service_name, scope_name, project_id FROM ${table} WHERE trace_id = '${traceId}' ORDER BY name`,
            )
            return found.length === 2 ? found : undefined
          },
          { timeoutMs: 5000, what: `two rows of ${traceId} in ${table}` },
        )
        expect(rows).toMatchObject([
          { name: 'chat', type: 'GENERATION', input: 'Zeilen\n\nDROP', provided_model_name: 'a-model', service_name: 'first-span' },
          {
            name: 'question',
            type: 'SPAN',
            parent_span_id: '',
            user_id: 'user-1',
            tags: ['a', 'b'],
            scope_name: 'first-span',
            project_id: 'default-project',
          },
        ])
      }
    })

    test('with header 3, the records are on spans.staging, and no row is stored', async () => {
      const traceId = await exportTwoSpans(name, { 'x-svc-ingestion-version': '3' }, compression)
      const { code, out } = await svc(directory.path, ports, 'topics', 'spans.staging', '--records', '100')
      expect(code).toBe(0)
      expect(out).toContain(`default-project/${traceId}`)
      expect(await instance.count(`SELECT count() AS n FROM events_full WHERE trace_id = '${traceId}'`)).toBe(0)
    })
  })
})

/** Sends a body with chunked encoding, as the JS SDK does. */
function postChunked(
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string; route: string | undefined }> {
  return new Promise((done, fail) => {
    const outgoing = httpRequest(
      `http://127.0.0.1:${ports.PORT}//api/public/otel/v1/traces`,
      { method: 'POST', headers: { authorization, 'content-type': 'application/json', ...headers } },
      response => {
        let text = ''
        response.on('data', chunk => (text += chunk))
        response.on('end', () => done({ status: response.statusCode ?? 0, body: text, route: response.headers['x-svc-route'] as string }))
      },
    )
    outgoing.on('error', fail)
    for (let at = 0; at < body.length; at += 7000) outgoing.write(body.subarray(at, at + 7000))
    outgoing.end()
  })
}

test('accepts chunked JSON of an SDK at a path with a double slash, which a base URL with a trailing slash causes', async () => {
  const request = createSpanGenerator({ seed: 'chunked', startTimeMs: Date.now() - 1000, spansPerRequest: 20 }).next()
  const answer = await postChunked(request.json, { 'x-svc-sdk-name': 'javascript', 'x-svc-sdk-version': '5.11.1' })
  expect(answer).toMatchObject({ status: 200, body: '{}', route: 'direct; reason=real-time-sdk' })
  const ids = request.spans.map(span => `'${span.spanId}'`).join(',')
  await waitFor(async () => (await instance.count(`SELECT count() AS n FROM events_core WHERE span_id IN (${ids})`)) === 20, {
    timeoutMs: 5000,
    what: '20 rows',
  })
})

test('a read right after an acknowledged write finds the data, without a wait and without a silent 404', async () => {
  const read = async (path: string, ingestId: string | null) => {
    const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/${path}&waitFor=${ingestId}`, { headers: { authorization } })
    const { data } = (await response.json()) as { data: unknown[] }
    return { status: response.status, rows: data.length, waitedFor: response.headers.get('x-svc-waited-for') }
  }
  const post = (path: string, body: Uint8Array | string) =>
    fetch(`http://127.0.0.1:${ports.PORT}/api/public/${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: Buffer.from(body),
    })
  for (let round = 0; round < 3; round++) {
    const request = createSpanGenerator({ seed: `read-${round}`, startTimeMs: Date.now() - 1000, spansPerRequest: 5 }).next()
    const sent = await post('otel/v1/traces', request.json)
    const spans = await read(`v2/observations?traceId=${request.spans[0]!.traceId}`, sent.headers.get('x-svc-ingest-id'))
    expect(spans).toEqual({
      status: 200,
      rows: request.spans.filter(({ traceId }) => traceId === request.spans[0]!.traceId).length,
      waitedFor: 'readable',
    })
    const scored = await post(
      'scores',
      JSON.stringify([{ id: `score-${round}`, name: 'good', value: 1, traceId: request.spans[0]!.traceId }]),
    )
    expect(await read(`v3/scores?id=score-${round}`, scored.headers.get('x-svc-ingest-id'))).toEqual({
      status: 200,
      rows: 1,
      waitedFor: 'readable',
    })
  }
})

test('a bad span, or a span of 1999, among good spans gets 200 with rejected_spans 1, and the good spans are stored', async () => {
  const generated = createSpanGenerator({ seed: 'bad', startTimeMs: Date.now() - 1000, spansPerRequest: 5 }).next()
  const json = JSON.parse(Buffer.from(generated.json).toString('utf8')) as {
    resourceSpans: { scopeSpans: { spans: { spanId: string; startTimeUnixNano: string }[] }[] }[]
  }
  const spans = json.resourceSpans.flatMap(resource => resource.scopeSpans.flatMap(scope => scope.spans))
  spans[0]!.spanId = 'nothex'
  spans[1]!.startTimeUnixNano = '930000000000000000'
  const answer = await postChunked(Buffer.from(JSON.stringify(json)))
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.body)).toMatchObject({ partialSuccess: { rejectedSpans: '2' } })
  expect(answer.body).toContain('1999')
  const ids = spans.slice(2).map(span => `'${span.spanId}'`)
  await waitFor(async () => (await instance.count(`SELECT count() AS n FROM events_full WHERE span_id IN (${ids.join(',')})`)) === 3, {
    timeoutMs: 5000,
    what: '3 siblings',
  })
})

test('the link of the banner signs the first user in only once', async () => {
  const link = await waitFor(async () => /http:\/\/\S+\/setup\?token=[\w-]{43}/.exec(instance.output())?.[0], {
    timeoutMs: 5000,
    what: 'a link in the banner',
  })
  const redeem = () =>
    fetch(`http://127.0.0.1:${ports.PORT}/api/ui/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-ui': '1', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: new URL(link).searchParams.get('token') }),
    })
  const signedIn = await redeem()
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const me = await fetch(`http://127.0.0.1:${ports.PORT}/api/ui/me`, { headers: { cookie } })
  expect(await me.json()).toMatchObject({ organizations: [{ id: 'default-org', role: 'OWNER', projects: [{ id: 'default-project' }] }] })
  expect((await redeem()).status).toBe(401)
})

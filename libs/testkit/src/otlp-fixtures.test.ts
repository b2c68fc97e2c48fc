import { describe, expect, test } from 'vitest'
import { fixtureHeader, otlpFixtures, plainBody, recordedRequest } from './otlp-fixtures.ts'
import type { Span, TraceRequest } from './otlp-types.ts'

const fixtures = otlpFixtures()

const scopesOf = (request: TraceRequest) => request.resourceSpans!.flatMap(resource => resource.scopeSpans!)

const spansOf = (request: TraceRequest): Span[] => scopesOf(request).flatMap(scope => [...scope.spans!])

const clientNames = [...new Set(fixtures.map(fixture => fixture.client))]
const requestsOf = (client: string) => fixtures.filter(fixture => fixture.client === client)

describe.each(clientNames)('%s', client => {
  test.each(requestsOf(client).map(fixture => [fixture.case, fixture] as const))('%s decodes', (_, fixture) => {
    const request = recordedRequest(fixture)
    const spans = spansOf(request)
    expect(spans.length).toBeGreaterThan(0)
    for (const span of spans) {
      expect(Buffer.from(span.traceId as string, typeof span.traceId === 'string' ? 'hex' : undefined)).toHaveLength(16)
      expect(BigInt(span.endTimeUnixNano!) >= BigInt(span.startTimeUnixNano!)).toBe(true)
    }
    expect(fixtureHeader(fixture, 'content-type')).toBe(fixture.contentType)
  })
})

/** Maps each client to the scope of the client's own spans. A recording without its client's scope has only spans of the application. */
const scopeOfClient: Readonly<Record<string, string>> = {
  'ai-sdk-5': 'ai',
  'ai-sdk-7': 'gen_ai',
  'ai-sdk-7-legacy': 'ai',
  'genkit-js': 'genkit-tracer',
  'livekit-js': 'livekit-agents',
  'logfire-js': 'logfire',
  'mlflow-py': 'mlflow.tracing.provider',
  'openinference-langchain-js': '@arizeai/openinference-instrumentation-langchain',
  'openinference-openai-js': '@arizeai/openinference-instrumentation-openai',
  'openinference-openai-py': 'openinference.instrumentation.openai',
  'openllmetry-openai-js': '@traceloop/instrumentation-openai',
  'openllmetry-openai-py': 'opentelemetry.instrumentation.openai.v1',
  'otel-js-http': 'weather-app.http',
  'otel-js-http-0.203': 'weather-app.http',
  'otel-js-proto': 'weather-app.http',
  'otel-js-proto-0.203': 'weather-app.http',
  'otel-py': 'weather-app.http',
  'pydantic-ai-logfire-py': 'pydantic-ai',
  'smolagents-openinference-py': 'openinference.instrumentation.smolagents',
  'svc-js-4': 'svc-sdk',
  'svc-js-5': 'svc-sdk',
  'svc-python-3': 'svc-sdk',
  'svc-python-4': 'svc-sdk',
  'svc-python-5': 'svc-sdk',
}

test('the set has spans of each client’s own instrumentation', () => {
  expect(clientNames).toEqual(Object.keys(scopeOfClient))
  for (const [client, scope] of Object.entries(scopeOfClient)) {
    const scopes = new Set(requestsOf(client).flatMap(fixture => scopesOf(recordedRequest(fixture)).map(({ scope: own }) => own?.name)))
    expect([...scopes], client).toContain(scope)
  }
})

test('the set has both encodings, each compressed and uncompressed', () => {
  const forms = new Set(fixtures.map(fixture => `${fixture.contentType} ${fixtureHeader(fixture, 'content-encoding') ?? 'identity'}`))
  expect([...forms].sort()).toEqual([
    'application/json gzip',
    'application/json identity',
    'application/x-protobuf gzip',
    'application/x-protobuf identity',
  ])
})

test('the set stays small and reveals nothing about the machine that recorded it', () => {
  expect(fixtures.reduce((sum, fixture) => sum + fixture.body.length, 0)).toBeLessThan(3 * 1024 * 1024)
  // Matches paths of home directories and checkouts.
  const folders = new RegExp(`/(?:${['ro' + 'ot', 'ho' + 'me', 'Us' + 'ers', 'wo' + 'rk', 'tm' + 'p'].join('|')})/`)
  const leaks = fixtures.filter(fixture => folders.test(plainBody(fixture).toString('latin1')))
  expect(leaks.map(fixture => `${fixture.client}/${fixture.case}`)).toEqual([])
  const hosts = fixtures.flatMap(fixture =>
    recordedRequest(fixture)
      .resourceSpans!.flatMap(({ resource }) => resource?.attributes ?? [])
      .filter(({ key }) => key === 'host.name' || key.startsWith('process.executable') || key.startsWith('process.command'))
      .map(({ value }) => value?.stringValue),
  )
  expect(new Set(hosts)).toEqual(new Set(['weather-host']))
})

import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { resolveBaseUrl, resolveTimeoutSeconds } from '@svc/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { exportHeaders } from '../src/export/headers.ts'
import { SvcSpanProcessor } from '../src/index.ts'
import * as settings from '../src/settings.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function withVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
}
const warnings = () => vi.spyOn(console, 'warn').mockReturnValue()

test.each([
  ['none', { SVC_OTEL_COMPRESSION: 'gzip' }, 'none'],
  [undefined, { SVC_OTEL_COMPRESSION: ' NONE ', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }, 'none'],
  [undefined, { SVC_OTEL_COMPRESSION: 'zstd', OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'None' }, 'none'],
  [undefined, { OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: '', OTEL_EXPORTER_OTLP_COMPRESSION: 'none' }, 'none'],
  ['deflate', { OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip', OTEL_EXPORTER_OTLP_COMPRESSION: 'none' }, 'gzip'],
  [undefined, {}, 'gzip'],
])('compression of option %s and %o is %s', (option, variables, compression) => {
  withVariables(variables as Record<string, string>)
  expect(settings.compression(option)).toBe(compression)
})

describe('an invalid setting causes a warning and is replaced', () => {
  test.each<readonly [variable: string, text: string, read: () => unknown, value: unknown]>([
    ['SVC_TIMEOUT', '5s', () => resolveTimeoutSeconds(undefined), 5],
    ['SVC_TIMEOUT', '-1', () => resolveTimeoutSeconds(undefined), 5],
    ['timeout', '', () => resolveTimeoutSeconds(Number.NaN), 5],
    ['SVC_FLUSH_AT', 'many', () => settings.flushAt(undefined), undefined],
    ['SVC_FLUSH_INTERVAL', 'x', () => settings.flushIntervalMs(undefined), undefined],
    ...['0', '-1', '+1', '1.5', '1e3', 'large', '99999999999999999'].map(
      text => ['SVC_OTEL_MAX_BATCH_SIZE_BYTES', text, () => settings.maxBatchBytes(), 67_108_864] as const,
    ),
  ])('%s = %s', (variable, text, read, value) => {
    const warn = warnings()
    vi.stubEnv(variable, text)
    expect(read()).toBe(value)
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toContain(variable)
  })

  test.each([
    [{ SVC_TIMEOUT: '' }, () => resolveTimeoutSeconds(undefined), 5],
    [{ SVC_TIMEOUT: '0.5' }, () => resolveTimeoutSeconds(undefined), 0.5],
    [{ SVC_TIMEOUT: '9' }, () => resolveTimeoutSeconds(2), 2],
    [{ SVC_OTEL_MAX_BATCH_SIZE_BYTES: '  ' }, () => settings.maxBatchBytes(), 67_108_864],
    [{ SVC_OTEL_MAX_BATCH_SIZE_BYTES: ' 0100 ' }, () => settings.maxBatchBytes(), 100],
    [{ SVC_FLUSH_AT: '7', SVC_FLUSH_INTERVAL: '0.5' }, () => [settings.flushAt(undefined), settings.flushIntervalMs(undefined)], [7, 500]],
    [{ SVC_MEDIA_UPLOAD_ENABLED: 'FALSE' }, () => settings.mediaUploadEnabled(undefined), false],
    [{ SVC_MEDIA_UPLOAD_ENABLED: '0' }, () => settings.mediaUploadEnabled(undefined), false],
    [{ SVC_MEDIA_UPLOAD_ENABLED: '0' }, () => settings.mediaUploadEnabled(true), true],
    [{ SVC_MEDIA_UPLOAD_ENABLED: '' }, () => settings.mediaUploadEnabled(undefined), true],
    [{ SVC_BASEURL: 'http://b', SVC_BASE_URL: 'http://a/' }, () => resolveBaseUrl(undefined), 'http://a/'],
    [{ SVC_BASEURL: 'http://b' }, () => resolveBaseUrl(undefined), 'http://b'],
    [{ SVC_BASEURL: 'http://b' }, () => resolveBaseUrl('http://c'), 'http://c'],
  ])('%o is used without a warning', (variables, read, value) => {
    const warn = warnings()
    withVariables(variables as Record<string, string>)
    expect(read()).toEqual(value)
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('an address that is not a URL', () => {
  test.each(['localhost:3000', 'svc.example.com', 'not a url', 'http://my host', 'http://', 'https:///path', 'http://a:99999', ''])(
    "'%s' is an error in the log, and stops nothing",
    async baseUrl => {
      const error = vi.spyOn(console, 'error').mockReturnValue()
      vi.spyOn(console, 'warn').mockReturnValue()
      const processor = new SvcSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl })
      expect(error.mock.calls.map(([line]) => line as string)).toEqual([
        expect.stringContaining(`'${baseUrl}' is not an http or https URL`),
      ])
      new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('svc-sdk').startSpan('span').end()
      await processor.forceFlush()
      expect(error.mock.calls[1]?.[0]).toContain('1 spans were lost: they cannot be sent')
      expect(String(error.mock.calls[1]?.[1])).toContain(`'${baseUrl}' is not an http or https URL`)
      await processor.shutdown()
    },
  )

  test.each(['http://localhost:3000', 'HTTPS://svc.example.com/path/'])('%s is one', baseUrl => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    expect(resolveBaseUrl(baseUrl)).toBe(baseUrl)
    expect(error).not.toHaveBeenCalled()
  })
})

describe('headers', () => {
  const keys = { publicKey: 'pk', secretKey: 'sk', additionalHeaders: undefined }

  test('name the sender, and request processing without delay', () => {
    expect(exportHeaders(keys)).toEqual({
      Authorization: `Basic ${btoa('pk:sk')}`,
      'x-svc-sdk-name': 'javascript',
      'x-svc-sdk-version': '6.0.0',
      'x-svc-public-key': 'pk',
      'x-svc-ingestion-version': '4',
    })
    expect(exportHeaders({ ...keys, publicKey: undefined })).not.toHaveProperty('Authorization')
    expect(exportHeaders({ ...keys, publicKey: undefined })['x-svc-public-key']).toBe('<missing>')
  })

  test('of the application win in any case and keep their spelling, and each name occurs once', () => {
    const additionalHeaders = {
      'X-SVC-Ingestion-Version': '3',
      authorization: 'Bearer t',
      AUTHORIZATION: 'Bearer u',
      'content-type': 'a/b',
      'X-Own': '1',
    }
    const headers = exportHeaders({ ...keys, additionalHeaders })
    expect(headers).toMatchObject({ 'X-SVC-Ingestion-Version': '3', AUTHORIZATION: 'Bearer u', 'Content-Type': 'a/b', 'X-Own': '1' })
    const names = Object.keys(headers).map(name => name.toLowerCase())
    expect(new Set(names).size).toBe(names.length)
  })
})

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, expectTypeOf, test, vi } from 'vitest'
import * as packageExports from '../src/index.ts'
import { SvcBrowserClient, SvcBrowserError, type SvcBrowserScoreBody, SvcScoreDataType } from '../src/index.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.unstubAllGlobals()
})

interface Received {
  readonly call: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

async function startService(status: number, text: string) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({
      call: `${request.method} ${request.url}`,
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    })
    response.writeHead(status).end(text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close().closeAllConnections())
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const accepted = '{"message":"Accepted"}'

test('what is exported', () => {
  expect(Object.keys(packageExports).sort()).toEqual(['SvcBrowserClient', 'SvcBrowserError', 'SvcScoreDataType'])
  expect(SvcScoreDataType).toEqual({
    Numeric: 'NUMERIC',
    Boolean: 'BOOLEAN',
    Categorical: 'CATEGORICAL',
    Correction: 'CORRECTION',
    Text: 'TEXT',
  })
  expectTypeOf<{ name: 'a'; value: 1; dataType: SvcScoreDataType }>().toExtend<SvcBrowserScoreBody>()
})

test('each score is a separate request with the public key', async () => {
  const { received, url } = await startService(202, accepted)
  const additionalHeaders = { 'X-Own': 'yes', AUTHORIZATION: 'Basic x', 'x-svc-sdk-variant': 'x', 'X-SVC-SDK-NAME': 'x' }
  const client = new SvcBrowserClient({ publicKey: 'pk', baseUrl: `${url}//`, environment: 'web', additionalHeaders })
  const before = new Date().toISOString()
  const { id } = await client.score({ name: 'liked', value: 1, dataType: SvcScoreDataType.Boolean, traceId: 't' })
  expect(await client.score({ id: '', name: 'a', value: 'x', environment: 'own' })).toEqual({ id: '' })
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(received.map(({ call }) => call)).toEqual(['POST /api/public/scores', 'POST /api/public/scores'])
  expect(received[0]!.body).toEqual([
    { id, name: 'liked', value: 1, dataType: 'BOOLEAN', traceId: 't', environment: 'web', timestamp: expect.any(String) },
  ])
  expect((received[0]!.body as { timestamp: string }[])[0]!.timestamp >= before).toBe(true)
  expect(received[1]!.body).toMatchObject([{ id: '', environment: 'own' }])
  expect(received[0]!.headers).toMatchObject({
    authorization: 'Bearer pk',
    'content-type': 'application/json',
    'x-own': 'yes',
    'x-svc-public-key': 'pk',
    'x-svc-sdk-name': 'javascript',
    'x-svc-sdk-version': '6.0.0',
    'x-svc-sdk-integration': 'browser',
  })
  expect(received[0]!.headers).not.toHaveProperty('x-svc-sdk-variant')
})

test.each([
  ['a rejection', 207, '{"accepted":0,"rejected":1,"errors":[{"message":"no"}]}', { errors: [{ message: 'no' }] }],
  ['a 207 that says nothing', 207, '{}', { response: {} }],
  ['a refusal with JSON', 401, '{"message":"no"}', { response: { message: 'no' } }],
  ['a refusal with a text', 502, 'Bad Gateway', { response: 'Bad Gateway' }],
  ['a page', 200, '<html>', { response: '<html>' }],
  ['JSON of another shape', 200, '[]', { response: [] }],
])('%s is an error', async (_, status, text, details) => {
  const { url, received } = await startService(status, text)
  const error = await new SvcBrowserClient({ publicKey: 'pk', baseUrl: url }).score({ name: 'a', value: 1 }).catch((each: unknown) => each)
  expect(error).toBeInstanceOf(SvcBrowserError)
  expect(error).toMatchObject({ name: 'SvcBrowserError', status, ...details })
  expect(received).toHaveLength(1)
})

test('a 207 without rejected scores is a success', async () => {
  const { url } = await startService(207, '{"accepted":1,"rejected":0,"errors":[]}')
  expect(await new SvcBrowserClient({ publicKey: 'pk', baseUrl: url }).score({ id: 'i', name: 'a', value: 1 })).toEqual({ id: 'i' })
})

test('the constructor throws without a key or fetch, and a network failure rejects', async () => {
  expect(() => new SvcBrowserClient({ publicKey: '' })).toThrow(SvcBrowserError)
  const failing = new TypeError('offline')
  const client = new SvcBrowserClient({ publicKey: 'pk', fetch: () => Promise.reject(failing) })
  await expect(client.score({ name: 'a', value: 1 })).rejects.toMatchObject({ name: 'SvcBrowserError', originalError: failing })
  vi.stubGlobal('fetch', undefined)
  expect(() => new SvcBrowserClient({ publicKey: 'pk' })).toThrow('no fetch')
})

test('the fetch of an application is called without `this`, by default with the URL of the hosted service', async () => {
  const calls: unknown[] = []
  async function own(this: unknown, url: unknown): Promise<Response> {
    calls.push(this, url)
    return new Response(accepted, { status: 202 })
  }
  await new SvcBrowserClient({ publicKey: 'pk', fetch: own as typeof fetch }).score({ name: 'a', value: 1 })
  expect(calls).toEqual([undefined, 'https://cloud.svc.com/api/public/scores'])
})

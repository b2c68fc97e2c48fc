import { afterEach, expect, test, vi } from 'vitest'
import { evaluationErrors, NotFoundError, standardErrors } from '../src/api/core/errors.ts'
import { type ApiOperation, sendApiRequest } from '../src/api/core/request.ts'
import { unstableErrors } from '../src/api/core/unstable-errors.ts'
import { Error as InvalidRequest, SvcAPIError, SvcAPITimeoutError, unstable } from '../src/index.ts'
import { type RecordingServer, type Reply, recordingServer } from './server.ts'

const servers: RecordingServer[] = []
afterEach(() => Promise.all(servers.splice(0).map(server => server.close())))

async function serving(reply: (at: number) => Reply | null): Promise<RecordingServer> {
  const server = await recordingServer((_, at) => reply(at))
  servers.push(server)
  return server
}

const read: ApiOperation = { method: 'GET', path: '/api/public/thing/1', errors: standardErrors }
const json = (value: unknown): Reply => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
const soon = { headers: { 'retry-after': '0' } }

test('a call carries its keys, the names of the SDK, the query and the body', async () => {
  const server = await serving(() => json({ id: 'a' }))
  const client = {
    environment: `${server.url}/prefix/`,
    username: 'pk',
    password: async () => 'sk',
    xSvcSdkName: 'javascript',
    xSvcPublicKey: () => 'pk',
    headers: { 'X-Extra': 'yes', 'X-Gone': 'no', 'x-svc-sdk-NAME': 'own' },
  }
  const operation: ApiOperation = {
    ...read,
    method: 'POST',
    query: { none: undefined, nothing: null, list: ['a', 'b c'], number: 3, flag: false },
    body: { a: 1 },
  }
  expect(await sendApiRequest(client, operation, { headers: { 'X-Gone': null }, queryParams: { number: 4 } })).toEqual({ id: 'a' })
  const [request] = server.received
  expect(request!.url).toBe('/prefix/api/public/thing/1?list=a&list=b%20c&number=4&flag=false')
  expect(request!.headers).toMatchObject({
    authorization: `Basic ${btoa('pk:sk')}`,
    'content-type': 'application/json',
    'x-svc-sdk-name': 'own',
    'x-svc-public-key': 'pk',
    'x-extra': 'yes',
  })
  expect(request!.headers).not.toHaveProperty('x-gone')
  expect(request!.body).toBe('{"a":1}')
})

test('a call without both keys has no authorization, one without a body no content type', async () => {
  const server = await serving(() => ({}))
  expect(await sendApiRequest({ environment: server.url, username: 'pk' }, read)).toBeUndefined()
  expect(server.received[0]!.headers).not.toHaveProperty('authorization')
  expect(server.received[0]!.headers).not.toHaveProperty('content-type')
})

test.each(['http://', 'http:', 'https:///path', 'localhost:3000', 'http://a:99999'])(
  'no call goes to an address like %s',
  async environment => {
    const fetching = vi.spyOn(globalThis, 'fetch')
    const message = `The base URL '${environment}' is not an http or https URL.`
    await expect(sendApiRequest({ environment }, read)).rejects.toMatchObject({ message, rawResponse: { status: 0 } })
    expect(fetching).not.toHaveBeenCalled()
    fetching.mockRestore()
  },
)

test('withRawResponse gives the data and the response of the one call', async () => {
  const server = await serving(() => ({ ...json({ id: 'a' }), headers: { 'x-request': '7' } }))
  const promise = sendApiRequest({ environment: server.url }, read)
  const { data, rawResponse } = await promise.withRawResponse()
  expect(data).toEqual(await promise)
  expect(rawResponse).toMatchObject({ status: 200, url: `${server.url}/api/public/thing/1` })
  expect(rawResponse.headers.get('x-request')).toBe('7')
  expect(server.received).toHaveLength(1)
})

test.each([408, 429, 500, 503])('status %i is retried twice', async status => {
  const server = await serving(() => ({ status, ...soon }))
  await expect(sendApiRequest({ environment: server.url }, read)).rejects.toMatchObject({ name: 'SvcAPIError', statusCode: status })
  expect(server.received).toHaveLength(3)
})

test('a retry that succeeds is the result', async () => {
  const server = await serving(at => (at === 0 ? { status: 503, ...soon } : json(1)))
  expect(await sendApiRequest({ environment: server.url }, read)).toBe(1)
})

test('errors have the class of their status, the body and the response', async () => {
  const body = { message: 'There is no thing 1.', code: 'resource_not_found' }
  const server = await serving(at => ({ status: [404, 400, 418][at]!, body: JSON.stringify(body) }))
  const client = { environment: server.url }
  const error = await sendApiRequest(client, read).catch((each: unknown) => each)
  expect(error).toBeInstanceOf(NotFoundError)
  expect(error).toBeInstanceOf(SvcAPIError)
  expect(error).not.toBeInstanceOf(unstable.NotFoundError)
  expect(error).toMatchObject({ name: 'NotFoundError', statusCode: 404, body, rawResponse: { status: 404 } })
  expect((error as globalThis.Error).message).toBe(`NotFoundError\nStatus code: 404\nBody: ${JSON.stringify(body, undefined, 2)}`)
  await expect(sendApiRequest(client, read)).rejects.toBeInstanceOf(InvalidRequest)
  await expect(sendApiRequest(client, read)).rejects.toMatchObject({ name: 'SvcAPIError', statusCode: 418 })
})

test.each([standardErrors, evaluationErrors, unstableErrors])('each class of a status has that status and a name', errors => {
  for (const [status, ErrorClass] of Object.entries(errors)) {
    const error = new ErrorClass({ message: 'no' })
    expect(error).toMatchObject({ statusCode: Number(status), name: expect.stringMatching(/Error$/), body: { message: 'no' } })
  }
})

test('a body that is not JSON: a success rejects with a description, a failure has the body in its error', async () => {
  const server = await serving(at => ({ status: at === 0 ? 200 : 404, body: '<html>' }))
  expect(await sendApiRequest({ environment: server.url }, read)).toMatchObject({
    ok: false,
    error: { rawBody: '<html>', statusCode: 200 },
  })
  await expect(sendApiRequest({ environment: server.url }, read)).rejects.toMatchObject({
    name: 'SvcAPIError',
    statusCode: 404,
    body: '<html>',
  })
})

test('a call beyond its time limit rejects with the time-out class and is not retried', async () => {
  const server = await serving(() => null)
  const error = await sendApiRequest({ environment: server.url }, read, { timeoutInSeconds: 0.05 }).catch((each: unknown) => each)
  expect(error).toBeInstanceOf(SvcAPITimeoutError)
  expect(error).not.toBeInstanceOf(SvcAPIError)
  expect((error as globalThis.Error).message).toContain('GET /api/public/thing/1')
  expect(server.received.length).toBeLessThanOrEqual(1)
})

test('a lost connection is not retried', async () => {
  const server = await serving(() => null)
  await server.close()
  await expect(sendApiRequest({ environment: server.url }, read)).rejects.toMatchObject({ name: 'SvcAPIError', rawResponse: { status: 0 } })
})

test('a failed connection reports its reason and the address without the query', async () => {
  const server = await serving(() => null)
  await server.close()
  const call = sendApiRequest({ environment: server.url }, { ...read, query: { filter: 'secret' } })
  const { message } = await call.then(
    () => new globalThis.Error('no failure'),
    (error: globalThis.Error) => error,
  )
  expect(message).toMatch(/^fetch failed: .*ECONNREFUSED.* \(GET http:\/\/127\.0\.0\.1:\d+\/api\/public\/thing\/1\)$/)
})

test('an abort ends the call, also while it waits for its retry; no listener stays', async () => {
  const controller = new AbortController()
  const { signal } = controller
  let listeners = 0
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners++
    add(...given)
  }
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners--
    remove(...given)
  }
  const server = await serving(at => (at === 0 ? json(1) : { status: 503, headers: { 'retry-after': '60' } }))
  const options = { abortSignal: signal }
  expect(await sendApiRequest({ environment: server.url }, read, options)).toBe(1)
  expect(listeners).toBe(0)
  const call = sendApiRequest({ environment: server.url }, read, options)
  await expect.poll(() => server.received.length).toBe(2)
  await expect.poll(() => listeners).toBe(1)
  controller.abort()
  await expect(call).rejects.toMatchObject({ name: 'SvcAPIError', rawResponse: { status: 499 } })
  await expect(call).rejects.toThrow('aborted')
  await expect(sendApiRequest({ environment: server.url }, read, options)).rejects.toMatchObject({ rawResponse: { status: 499 } })
  expect(server.received).toHaveLength(2)
})

import { createOutbound, type OutboundOptions } from '@svc-server/outbound'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ModelConnection } from '../src/connection.ts'
import { createModels, type ModelsOptions } from '../src/models.ts'
import { json, type PlayedProvider, playProvider, successes } from './provider.ts'

let inside: PlayedProvider
beforeAll(async () => {
  inside = await playProvider()
})
beforeEach(() => {
  inside.asked.length = 0
  inside.respond = json(200, successes.openai('{}'))
})
afterAll(() => inside[Symbol.asyncDispose]())

interface Asking extends Partial<ModelsOptions> {
  readonly allowed?: readonly string[]
  readonly resolve?: NonNullable<OutboundOptions['resolve']>
  readonly signal?: AbortSignal
  readonly maxRetries?: number
}
async function ask(baseURL: string, { allowed = [], resolve, signal, maxRetries = 0, ...options }: Asking = {}) {
  const outbound = createOutbound({ allowed, ...(resolve && { resolve }) })
  const connection: ModelConnection = { adapter: 'openai', secretKey: 'sk-in-clear', baseURL, extraHeaders: {}, config: null }
  const call = {
    owner: 'project-0',
    maxRetries,
    connection,
    model: 'a-model',
    prompt: 'Anything.',
    schema: { type: 'object' },
    ...(signal && { signal }),
  }
  try {
    return await createModels({ outbound, ...options }).generate(call)
  } finally {
    await outbound.close()
  }
}
const port = () => new URL(inside.url).port
const problem = (reason: string) => ({ kind: 'problem', problem: { reason } })

test.each([
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fd00::1]', '169.254.169.254', '10.0.0.1', 'localhost', 'localhost.'],
])('a call to %s connects to no internal server', async host => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  expect(await ask(`http://${host}:${port()}/v1`, { resolve })).toMatchObject(problem('address_refused'))
  expect(inside.asked).toEqual([])
})

test('rejects credentials in the address and other protocols', async () => {
  for (const url of [`http://user:password@127.0.0.1:${port()}/v1`, `http://api.openai.com@127.0.0.1:${port()}/v1`, 'file:///etc/passwd'])
    expect(await ask(url, { allowed: ['127.0.0.1'] }), url).toMatchObject(problem('address_refused'))
  expect(inside.asked).toEqual([])
})

test('rejects a host name whose address becomes internal between check and connection', async () => {
  let asked = 0
  const resolve = async () => [{ address: asked++ === 0 ? '8.8.8.8' : '127.0.0.1', family: 4 }]
  await createOutbound({ allowed: [], resolve }).check(`http://rebound.example:${port()}/v1`)
  expect(await ask(`http://rebound.example:${port()}/v1`, { resolve })).toMatchObject(problem('address_refused'))
  expect([inside.asked, asked]).toEqual([[], 2])
})

test.each([301, 302, 303, 307, 308])('does not follow a redirect with %i to an internal address', async status => {
  await using outside = await playProvider()
  outside.respond = json(status, {}, { location: `${inside.url}/v1` })
  expect(await ask(`${outside.url}/v1`, { allowed: ['127.0.0.1'] })).toMatchObject(problem('redirected'))
  expect([outside.asked.length, inside.asked.length]).toEqual([1, 0])
})

test('aborts an endless body at the response limit', async () => {
  let sent = 0
  inside.respond = response => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const chunk = Buffer.alloc(65_536, ' ')
    const write = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', write)
    write()
  }
  const outcome = await ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'], maxResponseBytes: 200_000 })
  expect(outcome).toMatchObject(problem('response_too_large'))
  expect(sent).toBeLessThan(50_000_000)
})

test('also aborts an endless body of an error response', async () => {
  inside.respond = response => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.on('drain', () => response.write(Buffer.alloc(65_536, ' ')))
    while (response.write(Buffer.alloc(65_536, ' ')));
  }
  expect(await ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'], maxResponseBytes: 200_000 })).toMatchObject(problem('response_too_large'))
})

test.each([
  ['no response', () => {}],
  ['a body that stops', response => void response.writeHead(200, { 'content-type': 'application/json' }).write('{')],
] as const satisfies readonly (readonly [string, PlayedProvider['respond']])[])('%s ends at the deadline', async (_, respond) => {
  inside.respond = respond
  expect(await ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'], timeoutMs: 200 })).toMatchObject(problem('timed_out'))
})

test('retries end at the deadline', async () => {
  inside.respond = json(503, {}, { 'retry-after': '50' })
  expect(await ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'], timeoutMs: 300, maxRetries: 5 })).toMatchObject(problem('timed_out'))
  expect(inside.asked.length).toBe(1)
})

test('retries a transient failure', async () => {
  inside.respond = (response, asked) =>
    (inside.asked.length === 1 ? json(500, {}, { 'retry-after-ms': '1' }) : json(200, successes.openai('{}')))(response, asked)
  expect(await ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'], maxRetries: 1 })).toMatchObject({ kind: 'value' })
})

test('a call that its caller aborts throws and closes its connection', async () => {
  const leaving = new AbortController()
  const closed = new Promise(resolve => {
    inside.respond = response => {
      response.on('close', resolve)
      leaving.abort()
    }
  })
  await expect(ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'], signal: leaving.signal })).rejects.toThrow('abort')
  await closed
})

test('an invalid response is a problem, never an exception', async () => {
  const bodies = [
    '',
    'null',
    '[]',
    '{"choices":[]}',
    '{"choices":[{"message":{}}]}',
    '\u0000',
    `${'['.repeat(100_000)}`,
    '{"__proto__":{"a":1}}',
  ]
  for (const body of bodies) {
    inside.respond = response => void response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    expect((await ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'] })).kind, body.slice(0, 40)).toBe('problem')
  }
  inside.respond = response => void response.destroy()
  expect(await ask(`${inside.url}/v1`, { allowed: ['127.0.0.1'] })).toMatchObject(problem('unreachable'))
  expect(await ask('http://127.0.0.1:1/v1', { allowed: ['127.0.0.1'] })).toMatchObject(problem('unreachable'))
})

test('a project cannot use up the slots of others', async () => {
  const outbound = createOutbound({ allowed: ['127.0.0.1'] })
  const models = createModels({ outbound, timeoutMs: 60_000 })
  const connection: ModelConnection = { adapter: 'openai', secretKey: 'sk', baseURL: `${inside.url}/v1`, extraHeaders: {}, config: null }
  const leaving = new AbortController()
  const call = (owner: string) =>
    models.generate({ owner, connection, model: 'a', prompt: 'a', schema: { type: 'object' }, signal: leaving.signal })
  inside.respond = (response, { headers }) => {
    if (headers['x-owner'] === 'other') json(200, successes.openai('{}'))(response, inside.asked[0]!)
  }
  const flood = Array.from({ length: 30 }, () => call('project-0').then(undefined, (error: { code?: string }) => error.code ?? 'left'))
  const other = await models.generate({
    ...{
      owner: 'other',
      connection: { ...connection, extraHeaders: { 'x-owner': 'other' } },
      model: 'a',
      prompt: 'a',
      schema: { type: 'object' },
    },
  })
  expect(other.kind).toBe('value')
  leaving.abort()
  const ended = await Promise.all(flood)
  expect(ended.filter(code => code === 'overloaded').length).toBe(10)
  await outbound.close()
})

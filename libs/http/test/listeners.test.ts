import { Agent, createServer, get } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { closeServer, createHttpServer, type Handler, listen, parseTarget, requireFreePorts } from '../src/listeners/index.ts'

const host = '127.0.0.1'
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

describe('listen', () => {
  test('reports a busy port as port_in_use with its variable', async () => {
    const first = createServer()
    const { port } = await listen(first, { host, port: 0, variable: 'SVC_OTLP_PORT' })
    cleanups.push(() => closeServer(first, { graceMs: 100 }))
    await expect(listen(createServer(), { host, port, variable: 'SVC_OTLP_PORT' })).rejects.toMatchObject({
      code: 'port_in_use',
      message: `Port ${port} on ${host} is in use. Set SVC_OTLP_PORT to a free port.`,
    })
  })

  test('one error names all busy ports, each with its variable', async () => {
    const taken: { readonly host: string; readonly port: number; readonly variable: string }[] = []
    for (const variable of ['PORT', 'SVC_OTLP_PORT']) {
      const server = createServer()
      const { port } = await listen(server, { host, port: 0, variable })
      cleanups.push(() => closeServer(server, { graceMs: 100 }))
      taken.push({ host, port, variable })
    }
    const [first, second] = taken
    const free = { host, port: 0, variable: 'SVC_WORKER_PORT' }
    await expect(requireFreePorts([first!, free, second!])).rejects.toMatchObject({
      code: 'port_in_use',
      message: `These ports on ${host} are in use: ${first!.port} (PORT), ${second!.port} (SVC_OTLP_PORT). Set these variables to free ports, or stop the processes that use the ports.`,
    })
    await expect(requireFreePorts([free, second!])).rejects.toMatchObject({
      message: `Port ${second!.port} on ${host} is in use. Set SVC_OTLP_PORT to a free port.`,
    })
    expect(await requireFreePorts([free])).toBeUndefined()
  })

  test('reports an address of another machine as config_invalid with SVC_BIND', async () => {
    await expect(listen(createServer(), { host: '192.0.2.1', port: 0, variable: 'PORT' })).rejects.toMatchObject({ code: 'config_invalid' })
  })
})

describe('closeServer', () => {
  test('lets a running request finish, and does not wait until the client closes its connection', async () => {
    const arrived = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const server = createServer(async (_request, response) => {
      arrived.resolve()
      await release.promise
      response.end('finished')
    })
    const { port } = await listen(server, { host, port: 0, variable: 'PORT' })
    // Client and server both keep this connection open. Only the server's sweep of idle connections closes it.
    server.keepAliveTimeout = 0
    const agent = new Agent({ keepAlive: true })
    const answer = new Promise<string>(resolve =>
      get({ host, port, agent }, response => response.on('data', data => resolve(String(data)))),
    )
    await arrived.promise
    const closed = closeServer(server, { graceMs: 3_600_000 })
    release.resolve()
    expect(await answer).toBe('finished')
    await closed
    agent.destroy()
  })

  test('closes remaining connections after the grace period, and a second call resolves immediately', async () => {
    const server = createServer(() => {})
    const { port } = await listen(server, { host, port: 0, variable: 'PORT' })
    const hanging = new Promise(resolve => get({ host, port }).once('error', resolve))
    const socket = connect({ host, port })
    await new Promise(resolve => socket.once('connect', resolve))
    socket.on('error', () => {})
    await closeServer(server, { graceMs: 20 })
    expect(await hanging).toBeInstanceOf(Error)
    await closeServer(server, { graceMs: 20 })
  })
})

describe('createHttpServer', () => {
  const start = async (handle: Handler) => {
    const defects: unknown[] = []
    const server = createHttpServer({ handle, onDefect: error => defects.push(error) })
    const { port } = await listen(server, { host, port: 0, variable: 'PORT' })
    cleanups.push(() => closeServer(server, { graceMs: 100 }))
    return { defects, url: `http://${host}:${port}/` }
  }
  const defect = new Error('a defect')

  test.each<[string, Handler]>([
    [
      'at once',
      () => {
        throw defect
      },
    ],
    ['later', () => Promise.reject(defect)],
    [
      'in a header that cannot be one',
      (_, response) => {
        response.setHeader('x', '\n')
      },
    ],
  ])('an error that a handler throws %s becomes a 500, is reported once, and the next request is served', async (_, handle) => {
    const { url, defects } = await start(handle)
    expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([500, 500])
    expect(defects).toHaveLength(2)
  })

  test('closes the connection when a handler throws within its response', async () => {
    const { url, defects } = await start(async (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half')
      throw defect
    })
    await expect(fetch(url).then(response => response.text())).rejects.toThrow()
    expect(defects).toEqual([defect])
  })

  test('an error that onDefect throws does not end the process', async () => {
    const server = createHttpServer({
      handle() {
        throw defect
      },
      onDefect: error => {
        throw error
      },
    })
    const { port } = await listen(server, { host, port: 0, variable: 'PORT' })
    cleanups.push(() => closeServer(server, { graceMs: 100 }))
    expect((await fetch(`http://${host}:${port}/`)).status).toBe(500)
  })
})

describe('parseTarget', () => {
  test.each([
    ['/a?b=1&b=%zz#c', '/a', '1'],
    ['//', '//', null],
    ['http://h:1/a?b=2', '/a', '2'],
    ['HTTP://h?b=', '/', ''],
    ['*', '*', null],
    [undefined, '/', null],
  ])('%j', (target, path, b) => {
    const parsed = parseTarget(target)
    expect([parsed.path, parsed.query.get('b')]).toEqual([path, b])
  })

  test('never throws, and agrees with the URL parser on ordinary targets', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => void parseTarget(text)))
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (path, parameters) => {
        const url = new URL(`http://h${path.replace(/^\/*/, '/')}?${parameters}`)
        const parsed = parseTarget(url.href.slice('http://h'.length))
        expect([parsed.path, [...parsed.query]]).toEqual([url.pathname, [...url.searchParams]])
      }),
    )
  })
})

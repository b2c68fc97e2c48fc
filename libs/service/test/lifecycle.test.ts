import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { AppError } from '@svc-server/errors'
import { describe, expect, test } from 'vitest'
import { createHealth } from '../src/health/index.ts'
import { type NamedService, runUntilSignal } from '../src/lifecycle/index.ts'
import { createLogger } from '../src/logs/index.ts'

const setup = () => {
  const host = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) })
  const exits: number[] = []
  const events: string[] = []
  const output = new PassThrough()
  const lines: string[] = []
  output.on('data', chunk => lines.push(String(chunk)))
  const service = (name: string, overrides: Partial<NamedService> = {}): NamedService => ({
    name,
    start: async () => void events.push(`${name} started`),
    drain: async () => void events.push(`${name} drained`),
    ...overrides,
  })
  const logger = createLogger({ service: 'test', destination: output })
  const health = createHealth()
  const run = (services: readonly NamedService[], graceMs = 30_000) => runUntilSignal({ services, logger, graceMs, health, host })
  const started = (name: string) => ({
    ...service(name),
    start: async () => {
      events.push(`${name} started`)
      setImmediate(() => host.emit('ready'))
    },
  })
  return { host, exits, events, lines: () => lines.join(''), service, run, started, health }
}

describe('runUntilSignal', () => {
  test('F22 · starts in order, drains in reverse, exits 0, and leaves no listener behind', async () => {
    const { host, exits, events, service, run, started, health } = setup()
    const running = run([service('log'), service('writer'), started('gateway')])
    await once(host, 'ready')
    expect(events).toEqual(['log started', 'writer started', 'gateway started'])
    host.emit('SIGTERM')
    expect(health.draining).toBe(true)
    expect(await running).toBe(0)
    expect(events.slice(3)).toEqual(['gateway drained', 'writer drained', 'log drained'])
    expect(exits).toEqual([0])
    expect(host.eventNames()).toEqual([])
  })

  test('a broken service makes the process drain as after a signal and exit 1', async () => {
    const { host, events, service, started, health } = setup()
    const broken = Promise.withResolvers<void>()
    const logger = createLogger({ service: 'test', destination: new PassThrough() })
    const services = [service('log'), started('gateway')]
    const running = runUntilSignal({ services, logger, graceMs: 30_000, health, host, broken: broken.promise })
    await once(host, 'ready')
    broken.resolve()
    expect(await running).toBe(1)
    expect(health.draining).toBe(true)
    expect(events.slice(2)).toEqual(['gateway drained', 'log drained'])
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ])('F22 · a second %s exits at once with %i', async (signal, code) => {
    const { host, exits, run, started } = setup()
    const running = run([{ ...started('gateway'), drain: () => new Promise(() => {}) }])
    await once(host, 'ready')
    host.emit('SIGTERM')
    host.emit(signal)
    expect(await running).toBe(code)
    expect(exits).toEqual([code])
  })

  test('a drain that exceeds the grace period exits 1 and names the service', async () => {
    const { host, run, started, lines } = setup()
    const running = run([{ ...started('writer'), drain: () => new Promise(() => {}) }], 5)
    await once(host, 'ready')
    host.emit('SIGTERM')
    expect(await running).toBe(1)
    expect(lines()).toContain('"late":"writer"')
  })

  test('a drain that fails does not keep the others from draining, and exits 1', async () => {
    const { host, events, service, run, started } = setup()
    const failing = service('writer', { drain: () => Promise.reject(new Error('commit failed')) })
    const running = run([service('log'), failing, started('gateway')])
    await once(host, 'ready')
    host.emit('SIGINT')
    expect(await running).toBe(1)
    expect(events.slice(3)).toEqual(['gateway drained', 'log drained'])
  })

  test('a failed start logs the advice, drains started services, and exits 1', async () => {
    const { events, service, run, lines } = setup()
    const busy = service('gateway', { start: () => Promise.reject(new AppError('port_in_use', 'Port 4318 is in use. Set SVC_OTLP_PORT.')) })
    expect(await run([service('log'), busy, service('never')])).toBe(1)
    expect(events).toEqual(['log started', 'gateway drained', 'log drained'])
    expect(lines()).toContain('Port 4318 is in use. Set SVC_OTLP_PORT.')
    expect(lines()).toContain('"help":"Set the named variable to a free port."')
  })

  test('a signal during the start drains started services and starts no others', async () => {
    const { host, events, service, run } = setup()
    const first = service('log', {
      start: async () => {
        host.emit('SIGTERM')
        events.push('log started')
      },
    })
    expect(await run([first, service('never')])).toBe(0)
    expect(events).toEqual(['log started', 'log drained'])
  })

  test('a start that hangs ends with the grace period', async () => {
    const { host, run, service } = setup()
    const running = run([service('log', { start: () => new Promise(() => setImmediate(() => host.emit('SIGTERM'))) })], 5)
    expect(await running).toBe(1)
  })

  test.each(['uncaughtException', 'unhandledRejection'])('%s is logged with its stack and exits 1', async event => {
    const { host, run, started, lines } = setup()
    const running = run([started('gateway')])
    await once(host, 'ready')
    host.emit(event, new TypeError('x is undefined'))
    expect(await running).toBe(1)
    expect(lines()).toContain('"level":"fatal"')
    expect(lines()).toContain('x is undefined')
  })
})

test('F22 · a real process drains on SIGTERM and exits 0, and its last line is written', async () => {
  const program = `
    import { runUntilSignal } from ${JSON.stringify(new URL('../src/lifecycle/index.ts', import.meta.url).href)}
    import { createLogger } from ${JSON.stringify(new URL('../src/logs/index.ts', import.meta.url).href)}
    const logger = createLogger({ service: 's' })
    let timer
    const service = {
      name: 'gateway',
      start: async () => { timer = setInterval(() => {}, 1000); logger.info('started') },
      drain: async () => clearInterval(timer),
    }
    await runUntilSignal({ services: [service], logger, graceMs: 10_000 })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', chunk => {
    if (!output.includes('started') && String(chunk).includes('started')) child.kill('SIGTERM')
    output += chunk
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(JSON.parse(output.trimEnd().split('\n').at(-1)!)).toMatchObject({ msg: 'Drained' })
})

test('the first log line lists settings that differ from their defaults, and a debug line lists all settings', async () => {
  const program = `
    import { runProcess } from ${JSON.stringify(new URL('../src/lifecycle/index.ts', import.meta.url).href)}
    import { setting } from ${JSON.stringify(new URL('../src/configuration/index.ts', import.meta.url).href)}
    const settings = [{ port: setting.port({ env: 'SVC_PORT', default: 80, says: 'A port.' }), size: setting.bytes({ env: 'SVC_SIZE', default: '1MiB', says: 'A size.' }) }]
    let timer
    const start = async () => {
      timer = setInterval(() => {}, 1000)
      process.kill(process.pid, 'SIGTERM')
    }
    const service = { name: 's', start, drain: async () => clearInterval(timer) }
    await runProcess({ service: 's', summary: '', settings, env: process.env, create: () => ({ services: [service] }) })`
  const env = { SVC_PORT: '81', SVC_LOG_LEVEL: 'debug' }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = (await text(child.stdout)).split('\n')
  expect(JSON.parse(lines[0]!).config).toEqual(env)
  expect(JSON.parse(lines[1]!).config).toMatchObject({ ...env, SVC_SIZE: '1MiB', SVC_BIND: '127.0.0.1' })
})

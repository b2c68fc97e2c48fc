import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { AppError } from '@svc-server/errors'
import { describe, expect, test } from 'vitest'
import { createLogger, type LoggerOptions } from '../src/logs/index.ts'

const capture = (options: Partial<LoggerOptions> = {}) => {
  const stream = new PassThrough()
  const chunks: string[] = []
  stream.on('data', chunk => chunks.push(String(chunk)))
  const logger = createLogger({ service: 'gateway', destination: stream, ...options })
  return {
    logger,
    lines: () => chunks.join('').trimEnd().split('\n'),
    entry: () => JSON.parse(chunks.join('').trimEnd().split('\n').at(-1)!),
  }
}

const blockedStream = (seen: string[]) => {
  const callbacks: (() => void)[] = []
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, callback) {
      seen.push(String(chunk))
      callbacks.push(callback)
    },
  })
  return {
    stream,
    unblock() {
      for (let next = callbacks.shift(); next !== undefined; next = callbacks.shift()) next()
    },
  }
}

describe('lines', () => {
  test('are JSON with time, level as a word, service and message', () => {
    const { logger, entry } = capture()
    logger.warn({ port: 4318 }, 'listening')
    expect(entry()).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      service: 'gateway',
      port: 4318,
      msg: 'listening',
    })
  })

  test('below the configured level are omitted', () => {
    const { logger, lines } = capture({ level: 'warn' })
    logger.info('unheard')
    expect(lines()).toEqual([''])
  })

  test('contain code, params and causes of an error, but none of its other properties', () => {
    const { logger, entry } = capture()
    const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED', config: { body: 'x'.repeat(100) } })
    logger.error(
      { err: new AppError('column_store_unavailable', 'No answer', { url: 'http://127.0.0.1:8123' }, { cause }) },
      'insert failed',
    )
    expect(entry().err).toEqual({
      type: 'AppError',
      code: 'column_store_unavailable',
      message: 'No answer',
      params: { url: 'http://127.0.0.1:8123' },
      stack: expect.stringContaining('AppError'),
      cause: { type: 'Error', code: 'ECONNREFUSED', message: 'connect refused', stack: expect.any(String) },
    })
  })

  test('support an error with circular causes', () => {
    const { logger, entry } = capture()
    const error = new Error('round')
    error.cause = error
    logger.error({ err: error })
    expect(entry().err.message).toBe('round')
  })
})

describe('secrets', () => {
  const secretKey = 'sk-svc-0d3c4a8e-1111-4222-8333-944445555666'
  const basic = `Basic ${Buffer.from(`pk-svc-1:${secretKey}`).toString('base64')}`

  test.each([
    ['a field', { password: 'hunter2-hunter2' }],
    ['a field with quotes in it', { salt: 'hunter2"hunter2\\' }],
    ['a number', { secret: 4242424242 }],
    ['a nested field', { a: { b: [{ headers: { Authorization: 'hunter2-raw' } }] } }],
    ['a variable', { env: { SVC_KAFKA_SASL_PASSWORD: 'hunter2-hunter2', SALT: 'hunter2' } }],
    ['a header list', { 'set-cookie': ['hunter2=1', 'hunter2=2'] }],
    ['a secret key in other text', { note: `used ${secretKey} twice` }],
    ['raw headers', { rawHeaders: ['authorization', basic] }],
    ['a URL', { url: 'postgres://svc:hunter2@db:5432/svc' }],
  ])('%s is hidden', (_, fields) => {
    const { logger, lines, entry } = capture()
    logger.info(fields, 'x')
    expect(lines().join()).not.toMatch(/hunter2|4242424242|0d3c4a8e|Basic [A-Za-z0-9]/)
    expect(lines().join()).toContain('***')
    expect(entry().msg).toBe('x')
  })

  test('in messages and in errors are hidden', () => {
    const { logger, lines } = capture()
    logger.error({ err: new Error(`refused ${basic}`) }, `key ${secretKey}`)
    expect(lines().join()).not.toMatch(/0d3c4a8e|Basic [A-Za-z0-9]/)
  })

  test('public values stay visible: public keys, deduplication tokens, key ids', () => {
    const { logger, entry } = capture()
    const fields = { publicKey: 'pk-svc-1', token: 'log/svc.writer/3', apiKeyId: 'k1', keys: 2 }
    logger.info(fields, 'x')
    expect(entry()).toMatchObject(fields)
  })
})

describe('pretty', () => {
  test('prints one readable line', () => {
    const { logger, lines } = capture({ pretty: true })
    logger.info({ port: 4318, reason: 'two words', list: [1] }, 'listening')
    expect(lines()).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}gateway listening port=4318 reason="two words" list=\[1\]$/),
    ])
  })

  test('prints the sentence of an expected error and the stack of a defect', () => {
    const { logger, lines } = capture({ pretty: true })
    logger.error({ err: new AppError('log_full', 'spans.direct is full') }, 'refused')
    expect(lines()).toEqual([expect.stringContaining('refused log_full: spans.direct is full')])
    logger.error({ err: new TypeError('x is undefined') }, 'bug')
    expect(lines().length).toBeGreaterThan(2)
  })
})

describe('F39 · log output that fails costs lines, not the process', () => {
  test('drops and counts lines above the bound while the reader is blocked, and reports the count later', () => {
    const seen: string[] = []
    const { stream, unblock } = blockedStream(seen)
    const logger = createLogger({ service: 'gateway', destination: stream, maxBufferedBytes: 2_000 })
    for (let i = 0; i < 1_000; i += 1) logger.info({ i }, 'line')
    expect(stream.writableLength).toBeLessThan(2_500)
    unblock()
    logger.info('after')
    unblock()
    const told = seen.map(line => JSON.parse(line)).find(entry => entry.lines !== undefined)
    expect(told).toMatchObject({ level: 'warn', service: 'gateway' })
    expect(told.lines + seen.length - 2).toBe(1_000)
  })

  test('a stream that throws or is destroyed fails no log call', () => {
    const throwing = Object.assign(new PassThrough(), {
      write: () => {
        throw new Error('ENOSPC')
      },
    })
    createLogger({ service: 's', destination: throwing as unknown as Writable }).info('x')
    const destroyed = new PassThrough()
    destroyed.destroy()
    createLogger({ service: 's', destination: destroyed }).info('x')
  })

  test.each(['closed', 'blocked'])('a process with %s stdout continues and exits normally', async how => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('../src/logs/index.ts', import.meta.url).href)}
      const logger = createLogger({ service: 's', maxBufferedBytes: 100_000 })
      for (let i = 0; i < 50; i += 1) {
        for (let j = 0; j < 100; j += 1) logger.info({ i, pad: 'x'.repeat(200) }, 'line')
        await new Promise(resolve => setImmediate(resolve))
      }
      process.exit(7)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', chunk => (stderr += chunk))
    if (how === 'closed') child.stdout.destroy()
    else child.stdout.pause()
    const [code] = await once(child, 'exit')
    expect({ code, stderr }).toEqual({ code: 7, stderr: '' })
  })
})

import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { discardBody, readBody, slowestPace, tiniestPieces } from './read-body.ts'

const KiB = 1024
const limits = { maxBytes: 64 * KiB * KiB, timeoutMs: 30_000 }

const incoming = (headers: Record<string, string> = {}) => {
  const stream = new PassThrough({ highWaterMark: 64 * KiB * KiB })
  return Object.assign(stream, { headers }) as unknown as IncomingMessage & PassThrough
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await turn()
  await turn()
}

describe('F53 · the slowest pace', () => {
  test.each([
    ['kept', (req: IncomingMessage) => readBody(req, limits)],
    ['discarded', (req: IncomingMessage) => discardBody(req, limits)],
  ])('a body that is %s and delivers no bytes gets 408 after the first window, not before', async (_, read) => {
    const req = incoming({ 'content-length': String(64 * KiB * KiB) })
    let failed: unknown
    read(req).catch((error: unknown) => (failed = error))
    await pass(slowestPace.windowMs - 1)
    expect(failed).toBeUndefined()
    await pass(1)
    expect(failed).toMatchObject({ code: 'request_timeout' })
  })

  test('a body that stops after a fast start gets 408 a window later, and a body that keeps the pace does not', async () => {
    const req = incoming()
    const reading = readBody(req, limits)
    let failed: unknown
    reading.catch((error: unknown) => (failed = error))
    req.write(Buffer.alloc(1024 * KiB))
    await pass(slowestPace.windowMs)
    req.write(Buffer.alloc(slowestPace.bytes))
    await pass(slowestPace.windowMs)
    expect(failed).toBeUndefined()
    req.write(Buffer.alloc(slowestPace.bytes - 1))
    await pass(slowestPace.windowMs)
    expect(failed).toMatchObject({ code: 'request_timeout' })
  })

  test('the pace of a small body no longer matters once it has arrived', async () => {
    const req = incoming({ 'content-length': '2' })
    const reading = readBody(req, limits)
    req.end('{}')
    expect((await reading).bytes.toString()).toBe('{}')
    await pass(10 * slowestPace.windowMs)
  })
})

test('an eviction rejects the read with its reason, before or during the body', async () => {
  for (const before of [true, false]) {
    const req = incoming()
    const eviction = new AbortController()
    const error = new AppError('overloaded', 'Somebody older needs it.')
    if (before) eviction.abort(error)
    const reading = readBody(req, limits, { evicted: eviction.signal })
    if (!before) {
      req.write('x')
      await turn()
      eviction.abort(error)
    }
    await expect(reading).rejects.toBe(error)
  }
})

test.each([undefined, 1_000, 100_000, 1_000_000])(
  'reads a body with declared length %s completely and in order, whatever its chunks',
  async declared => {
    const body = Buffer.from(Array.from({ length: declared ?? 300_000 }, (_, i) => i % 251))
    const req = incoming(declared === undefined ? {} : { 'content-length': String(declared) })
    const reading = readBody(req, limits)
    for (let at = 0; at < body.length; at += 7_001) req.write(Buffer.from(body.subarray(at, at + 7_001)))
    req.end()
    expect((await reading).bytes.equals(body)).toBe(true)
  },
)

test.each([
  ['kept', (req: IncomingMessage) => readBody(req, limits)],
  ['discarded', (req: IncomingMessage) => discardBody(req, limits)],
])('a body that is %s is rejected when it arrives in thousands of tiny pieces, but not in as many larger ones', async (_, read) => {
  const send = (bytes: number) => {
    const req = incoming()
    for (let at = 0; at <= tiniestPieces.count; at++) req.write(Buffer.alloc(bytes))
    req.end()
    return read(req)
  }
  await expect(send(tiniestPieces.averageBytes - 1)).rejects.toMatchObject({ code: 'bad_request' })
  await expect(send(tiniestPieces.averageBytes)).resolves.toBeDefined()
})

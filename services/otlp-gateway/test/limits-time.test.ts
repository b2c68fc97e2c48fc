// Tests F29 for requests that would take too much time.
import { gzipSync } from 'node:zlib'
import { createSpanGenerator, sized, waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { startGateway } from './gateway.ts'
import { bare, head, stream } from './raw-client.ts'
import { requestOf, span } from './requests.ts'

const MiB = 1024 * 1024

describe('F29 · time', () => {
  test('slow-loris: a body that arrives too slowly gets 408 and its connection is closed', async () => {
    await using gateway = await startGateway({ config: { bodyTimeoutMs: 150 } })
    const { socket, ended } = await bare(gateway, head(['content-length: 1000']))
    const dribble = setInterval(() => socket.write(' '), 20)
    const received = await ended
    clearInterval(dribble)
    expect(received).toMatch(/^HTTP\/1\.1 408 .*connection: close/is)
    expect(await gateway.metric('svc_gateway_rejected_total', { reason: 'request_timeout' })).toBe(1)
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
  })

  test.each([
    ['less than Content-Length says', ['content-length: 1000']],
    ['an unfinished chunk', ['transfer-encoding: chunked']],
  ])('nothing is stored and no memory held for a client that disconnects after %s', async (_, lines) => {
    await using gateway = await startGateway()
    const { socket, ended } = await bare(gateway, `${head(lines)}20\r\n{"resourceSpans":`)
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_bytes')) > 0, { what: 'the body to begin' })
    socket.destroy()
    await ended
    await waitFor(async () => (await gateway.metric('svc_gateway_requests_total', { code: 'aborted' })) === 1, { what: 'the abort' })
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
    expect(await gateway.batches('spans.direct')).toEqual([])
    expect(gateway.bugs).toEqual([])
  })

  test('a connection that does not speak HTTP does no harm', async () => {
    await using gateway = await startGateway()
    const { ended } = await bare(gateway, 'hello\r\n\r\n')
    expect(await ended).toMatch(/^HTTP\/1\.1 400/)
    expect((await gateway.send('/v1/traces', { body: requestOf(span()) })).status).toBe(200)
  })

  const bodies: readonly (readonly [string, string, string])[] = [
    ['JSON', 'application/json', 'identity'],
    ['gzip protobuf', 'application/x-protobuf', 'gzip'],
    ['protobuf', 'application/x-protobuf', 'identity'],
  ]
  test.each(sized(bodies, bodies.slice(0, 2)))(
    '64 MiB of %s block the event loop for less than 100 ms',
    async (_, contentType, encoding) => {
      await using gateway = await startGateway()
      const generator = createSpanGenerator({ seed: 6, startTimeMs: Date.now(), spansPerRequest: 1000 })
      const one = generator.next()
      const json = contentType === 'application/json'
      const body = json ? repeatedJson(one.json, 62 * MiB) : repeatedProtobuf(one.protobuf, 62 * MiB)
      const sent = encoding === 'gzip' ? gzipSync(body, { level: 1 }) : body
      const headers = { 'content-type': contentType, 'content-encoding': encoding, 'content-length': String(sent.length) }
      // The first large body takes longer, because it includes the compilation of the code. The test uses the faster attempt.
      const turns: number[] = []
      for (let attempt = 0; attempt < 2; attempt++) {
        const longest = watchLongestTurn()
        const answer = await stream(gateway, sent, headers)
        turns.push(longest.stopMs())
        expect(answer.status).toBe(200)
      }
      expect(Math.min(...turns)).toBeLessThan(100)
      expect(gateway.bugs).toEqual([])
    },
  )
})

/** Measures the longest iteration of the event loop. It measures CPU time, because other processes affect wall-clock time. */
function watchLongestTurn() {
  let longestMicros = 0
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longestMicros = Math.max(longestMicros, user + system)
  }, 1)
  return {
    stopMs() {
      clearInterval(timer)
      return longestMicros / 1000
    },
  }
}

/** Concatenates many copies of a small request into one large request. A decoder merges concatenated protobuf messages into one request. */
const repeatedProtobuf = (one: Uint8Array, bytes: number) => Buffer.concat(Array<Uint8Array>(Math.floor(bytes / one.length)).fill(one))

const repeatedJson = (one: Uint8Array, bytes: number) => {
  const inner = Buffer.from(one).toString().slice('{"resourceSpans":['.length, -']}'.length)
  return Buffer.from(
    `{"resourceSpans":[${Array(Math.floor(bytes / one.length))
      .fill(inner)
      .join(',')}]}`,
  )
}

// Tests the SDK's use of memory. Each of two processes has a heap of 256 MB, and creates and ends spans of 100 KB as fast as possible. The
// first process pauses so that requests can be sent, and the second process never pauses. In the nightly run, the first process creates and
// ends a million spans, which takes about eight minutes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { sized } from '../../libs/testkit/src/config.ts'

/**
 * Returns a program that creates and ends spans. After each span, the program runs the code `pause`. The program measures its memory 20
 * times, in megabytes. At the end, it prints these numbers and the SDK's warnings.
 */
const program = (url: string, spans: number, pause: string) => `
  import { setImmediate } from 'node:timers/promises'
  import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
  import { SvcSpanProcessor } from './src/index.ts'
  const warnings = []
  console.warn = line => warnings.push(line)
  const processor = new SvcSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: '${url}', compression: 'none', timeout: 60 })
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('svc-sdk')
  const megabytes = []
  for (let at = 0; at < ${spans}; at++) {
    if (at % ${spans / 20} === 0) megabytes.push(Math.round(process.memoryUsage.rss() / 2 ** 20))
    const input = Buffer.alloc(100_000, 97 + (at % 26)).toString('latin1')
    tracer.startSpan('large', { attributes: { 'svc.observation.input': input } }).end()
    ${pause}
  }
  await processor.shutdown()
  console.log(JSON.stringify({ warnings, megabytes }))`

/** Limit for the memory of the whole process. Node's own limit applies only to the heap. */
const mostMegabytes = 700
const limitMs = sized(2 * 3_600_000, 600_000)

test.each([
  ['that lets requests go meanwhile', sized(1_000_000, 5_000), 'if (at % 20 === 0) await setImmediate()'],
  ['that never pauses', sized(20_000, 4_000), ''],
])('a process %s stays within its heap; each of %i spans arrives or is counted', { timeout: limitMs }, async (_, spans, pause) => {
  let arrived = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    for (let at = body.indexOf('"spanId"'); at !== -1; at = body.indexOf('"spanId"', at + 50_000)) arrived++
    response.end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const args = [
    '--max-old-space-size=256',
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    program(url, spans, pause),
  ]
  const cwd = resolve(import.meta.dirname, '../../packages/otel')
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  server.close()
  expect(status).toBe(0)
  const { warnings, megabytes } = JSON.parse(printed) as { warnings: string[]; megabytes: number[] }
  const lost = warnings.map(line => Number(/(\d+) spans were lost/.exec(line)?.[1] ?? 0))
  expect(arrived + lost.reduce((sum, count) => sum + count, 0)).toBe(spans)
  expect(arrived).toBeGreaterThan(600)
  // The memory must not grow during the run, so the test compares the second half with the first half.
  const [first, second] = [Math.max(...megabytes.slice(0, 10)), Math.max(...megabytes.slice(10))]
  expect(second).toBeLessThan(first * 1.5)
  expect(second).toBeLessThan(mostMegabytes)
})

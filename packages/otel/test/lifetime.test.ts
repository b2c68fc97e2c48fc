// Spans that wait for their export must not delay the exit of a process. Shutdown must send them.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Collector } from './collector.ts'

let collector: Collector
beforeEach(async () => {
  collector = await Collector.start()
})
afterEach(() => collector.close())

/** Starts a process that ends 100 spans and then runs `then`. */
function application(then: string): ChildProcessByStdio<null, Readable, null> {
  const code = `
    import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
    import { SvcSpanProcessor } from './src/index.ts'
    const processor = new SvcSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: '${collector.url}', flushAt: 10, timeout: 0.5 })
    const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('svc-sdk')
    for (let at = 0; at < 100; at++) tracer.startSpan('span-' + at).end()
    ${then}`
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code], {
    cwd: resolve(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

test('a process ends by itself while the server is away', { timeout: 60_000 }, async () => {
  await collector.close()
  const [status] = await once(application(''), 'exit')
  expect(status).toBe(0)
  await collector.open()
})

test('a process that shuts down on SIGTERM delivers everything to a server that comes back meanwhile', async () => {
  await collector.close()
  const child = application(`
    process.once('SIGTERM', async () => {
      console.log('stopping')
      await processor.shutdown()
      process.exit(0)
    })
    setInterval(() => {}, 1000)
    console.log('running')`)
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  await once(child.stdout, 'data')
  await collector.open()
  expect(await exit).toEqual([0, null])
  expect(new Set(collector.accepted.map(({ name }) => name)).size).toBe(100)
  expect(collector.accepted).toHaveLength(100)
})

test('a process in which nothing but shutdown is left stays until the spans are delivered', async () => {
  await collector.close()
  const child = application(`console.log('stopping'); await processor.shutdown()`)
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  await collector.open()
  expect(await exit).toEqual([0, null])
  expect(collector.accepted).toHaveLength(100)
})

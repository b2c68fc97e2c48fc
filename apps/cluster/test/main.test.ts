// Runs `npm run cluster`, and checks what the command prints and how it ends after Ctrl-C. Then starts the cluster again with the existing
// data.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Environment } from '@svc-server/service/configuration'
import { inNightly, sized, type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePorts, patientDrain, requestsOf, runScript, sendAll, sharedBroker, spansOf } from './cluster.ts'

const main = new URL('../src/main.ts', import.meta.url)

let directory: TemporaryDirectory
beforeAll(async () => {
  directory = await temporaryDirectory('svc-cluster-')
})
afterAll(async () => {
  for (const { process: left, exited } of begun) {
    if (left.exitCode === null && left.signalCode === null) left.kill('SIGINT')
    await exited
  }
  await directory.remove()
})

interface Started {
  readonly process: ChildProcess
  output(): string
  exited: Promise<number | NodeJS.Signals | null>
}

const begun: Started[] = []

/** In the nightly run, the value is undefined, and the cluster starts its own broker. Other runs use the shared broker. */
const broker = await sized<() => Promise<Environment | undefined>>(async () => undefined, sharedBroker)()

async function start(): Promise<Started> {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    ...freePorts,
    ...patientDrain,
    ...broker,
    SVC_CLUSTER_DIR: directory.path,
    SVC_CLUSTER_GATEWAYS: '1',
    SVC_CLUSTER_WRITERS: '1',
    SVC_CLUSTER_PROPAGATORS: '1',
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main.pathname], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  child.stderr.on('data', chunk => (output += chunk))
  const exited = new Promise<number | NodeJS.Signals | null>(done => child.once('exit', (code, signal) => done(signal ?? code)))
  const started = { process: child, output: () => output, exited }
  begun.push(started)
  await waitFor(() => output.includes('svc is running') || child.exitCode !== null, { timeoutMs: 180_000, what: 'the banner' })
  if (!output.includes('svc is running')) throw new Error(output)
  return started
}

const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? `nothing like ${pattern}`

const rows = (output: string) => async (): Promise<number> => {
  const password = found(output, /password (\S+), database/)
  const response = await fetch(`${found(output, /SQL +(http\S+)/)}/?database=svc`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`svc:${password}`).toString('base64')}` },
    body: 'SELECT count() FROM events_full',
  })
  return Number(await response.text())
}

const requests = requestsOf('before the restart', 3)
const senderOf = (output: string) => ({
  gateways: [{ url: found(output, /OTLP\/HTTP +(http:\/\/[^/\s]+)/) }],
  publicKey: found(output, /public key +(\S+)/),
  secretKey: found(output, /secret key +(\S+)/),
})
let sender: ReturnType<typeof senderOf>

test('starts, stores, and drains on Ctrl-C with exit code 0', async () => {
  const first = await start()
  for (const part of [...(broker === undefined ? ['Kafka broker'] : []), 'PostgreSQL', 'column store', 'writers', 'gateways'])
    expect(first.output()).toMatch(new RegExp(`${part} .* s\n`))
  sender = senderOf(first.output())
  await sendAll(sender, requests)
  await waitFor(async () => (await rows(first.output())()) === spansOf(requests), { what: 'the rows' })
  first.process.kill('SIGINT')
  expect(await first.exited).toBe(0)
}, 300_000)

inNightly(() =>
  test('the next start has all data', async () => {
    const second = await start()
    expect(await rows(second.output())()).toBe(spansOf(requests))
    expect(senderOf(second.output())).toMatchObject({ publicKey: sender.publicKey, secretKey: sender.secretKey })
    // The broker has kept the offsets, so the writer does not store the spans again.
    const after = requestsOf('after the restart', 1)
    await sendAll(senderOf(second.output()), after)
    await waitFor(async () => (await rows(second.output())()) === spansOf(requests) + spansOf(after), {
      what: 'the new rows',
    })
    second.process.kill('SIGINT')
    expect(await second.exited).toBe(0)
  }, 300_000),
)

test('one error names all busy ports, each with its variable', async () => {
  await using elsewhere = await temporaryDirectory('svc-cluster-')
  const busy: Record<string, string> = {}
  for (const variable of ['PORT', 'SVC_OTLP_PORT', 'SVC_CLUSTER_POSTGRES_PORT', 'COLUMNSTORE_PORT']) {
    const holder = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void holder.close())
    await once(holder, 'listening')
    busy[variable] = String((holder.address() as AddressInfo).port)
  }
  const { code, error } = await runScript(main.href, { ...freePorts, ...busy, SVC_CLUSTER_DIR: elsewhere.path })
  expect(code).toBe(1)
  for (const [variable, port] of Object.entries(busy)) expect(error).toContain(`${port} (${variable})`)
})

test('a machine without Java gets an error that names it', async () => {
  await using elsewhere = await temporaryDirectory('svc-cluster-')
  const env = { ...freePorts, PATH: join(elsewhere.path, 'nothing'), SVC_CLUSTER_DIR: elsewhere.path }
  const { code, error } = await runScript(main.href, env)
  expect(code).toBe(1)
  expect(error).toMatch(
    /^A Kafka broker needs Java 17 or newer and Maven, which are not installed: .*SVC_KAFKA_BROKERS=127.0.0.1:9092\.\n$/,
  )
})

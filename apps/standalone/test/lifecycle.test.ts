// Starts, stops and kills a standalone, and runs the commands that an operator runs on the first day.
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { createSpanGenerator, inNightly, sized, type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { freePorts, type Instance, type Ports, ready, readyMs, startInstance, svc } from './instance.ts'
import { sendAll } from './sender.ts'

const hasIPv6 = Object.values(networkInterfaces()).some(addresses => addresses?.some(({ address }) => address === '::1'))

const requestsOf = (seed: string, count: number) => {
  const generator = createSpanGenerator({ seed, startTimeMs: Date.now() - 5000, spansPerRequest: 50 })
  return Array.from({ length: count }, () => generator.next())
}

let sent = 0
async function send(instance: Instance, seed: string): Promise<void> {
  const requests = requestsOf(seed, 4)
  await sendAll({ url: instance.tracesUrl, requests, concurrency: 4 })
  sent += requests.reduce((sum, { spans }) => sum + spans.length, 0)
}

const rows = (instance: Instance) => instance.count('SELECT count() AS n FROM events_full')

describe('one instance', () => {
  let directory: TemporaryDirectory
  let ports: Ports
  let instance: Instance

  beforeAll(async () => {
    directory = await temporaryDirectory()
    ports = await freePorts()
    instance = await ready(startInstance(directory.path, ports, { COLUMNSTORE_SILENCE_MS: '5s' }))
  })
  afterAll(async () => {
    await instance.end('SIGKILL')
    await directory.remove()
  })

  test('a second instance on the same directory is refused with an error message', async () => {
    const second = startInstance(directory.path, await freePorts())
    await waitFor(() => second.ended(), { what: 'the second instance to end' })
    expect(second.process.exitCode).toBe(1)
    expect(second.output()).toContain(`Another process uses ${directory.path}`)
  })

  test('the printed commands send a span, and read it through the API and by SQL', async () => {
    const [send, read, sql] = instance.output().match(/curl -sS .*(?:\n.*)*?(?=\n\n)/g) ?? []
    const run = async (command: string | undefined) => (await promisify(execFile)('bash', ['-c', command!])).stdout
    expect(await run(send)).toBe('{}')
    sent++
    for (const command of [read, sql])
      await waitFor(async () => (await run(command)).includes('384,400 km'), { what: `the span by ${command}` })
  })

  test('svc reaches the instance through its socket', async () => {
    const created = await svc(directory.path, ports, 'keys', 'create', '--project', 'default-project', '--note', 'from a test')
    expect(created).toMatchObject({ code: 0, error: '' })
    const [publicKey, secretKey] = [/pk-svc-\S+/.exec(created.out)?.[0], /sk-svc-\S+/.exec(created.out)?.[0]]
    const answer = await fetch(instance.tracesUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: '{}',
    })
    expect(answer.status).toBe(200)
    expect((await svc(directory.path, ports, 'keys', 'list')).out).toContain('from a test')
    // The quick run omits the unknown command `nonsense`, because apps/svc/test/main.test.ts always tests an unknown command.
    for (const argv of sized([['topics', 'nonsense'], ['nonsense']], [['topics', 'nonsense']]))
      expect((await svc(directory.path, ports, ...argv)).code).toBe(2)
  })

  test('F12 · a killed engine process is restarted, and spans that were sent meanwhile are stored once', async () => {
    await send(instance, 'before the engine dies')
    await waitFor(async () => (await rows(instance)) === sent, { what: 'the first rows' })
    const pid = instance.enginePid()
    process.kill(pid, 'SIGKILL')
    await send(instance, 'while the engine is dead')
    await waitFor(async () => (await rows(instance)) === sent, { what: 'the other rows' })
    expect(instance.enginePid()).not.toBe(pid)
    await waitFor(async () => (await instance.count('SELECT count() AS n FROM events_core')) >= sent, {
      what: 'the rows of the view',
    })
    expect(await instance.count('SELECT count() AS n FROM events_core')).toBe(sent)
  })

  // Every test run also includes two shorter suites: embedded-engine/test/supervisor.test.ts freezes an engine, and kill.test.ts kills an
  // instance.
  inNightly(() => {
    test('F51 · a frozen engine process is replaced, and spans that were sent meanwhile are stored once', async () => {
      const frozen = instance.enginePid()
      process.kill(frozen, 'SIGSTOP')
      await send(instance, 'while the engine is frozen')
      await waitFor(() => instance.output().includes('does not respond'), { what: 'the silence to be noticed' })
      await waitFor(async () => (await rows(instance)) === sent, { what: 'the rows of the freeze' })
      expect(instance.enginePid()).not.toBe(frozen)
      expect(await instance.count('SELECT uniqExact(project_id, trace_id, span_id) AS n FROM events_full')).toBe(sent)
    })

    test('after kill -9 and a restart, the data is there and work continues', async () => {
      await send(instance, 'just before the kill')
      await instance.end('SIGKILL')
      instance = await ready(startInstance(directory.path, ports))
      await waitFor(async () => (await rows(instance)) === sent, { what: 'the acknowledged rows' })
    })
  })

  test('SIGINT drains and exits with 0, the next start has all data, and svc works without an instance', async () => {
    await send(instance, 'just before the drain')
    expect(await instance.end('SIGINT')).toBe(0)
    const offline = await svc(directory.path, ports, 'topics')
    expect(offline).toMatchObject({ code: 0, error: '' })
    expect(offline.out).toContain('spans.direct')
    instance = await ready(startInstance(directory.path, ports))
    await waitFor(async () => (await rows(instance)) === sent, { what: 'all rows' })
  })
})

inNightly(() =>
  test('a start with a revoked first key explains how to create another, and shows no invalid key', async () => {
    await using directory = await temporaryDirectory()
    const ports = await freePorts()
    const made = { SVC_INIT_PROJECT_PUBLIC_KEY: '', SVC_INIT_PROJECT_SECRET_KEY: '' }
    const first = await ready(startInstance(directory.path, ports, made))
    const publicKey = /public key +(\S+)/.exec(first.output())?.[1] ?? ''
    expect(await svc(directory.path, ports, 'keys', 'revoke', publicKey)).toMatchObject({ code: 0 })
    expect(await first.end('SIGTERM')).toBe(0)

    const second = await ready(startInstance(directory.path, ports, made))
    expect(await second.end('SIGTERM')).toBe(0)
    expect(second.output()).toContain('The key pair that was created at the first start has been revoked')
    expect(second.output()).toContain('npm run svc -- keys create --project ID')
    expect(second.output()).not.toContain(publicKey)
  }),
)

inNightly(() =>
  test.each(['::1', '::'])('on SVC_BIND=%s, with a port that the engine chooses, the banner says where it is', async bind => {
    expect(hasIPv6, 'This test needs the address ::1. Enable IPv6 on the loopback interface of this machine.').toBe(true)
    await using directory = await instanceDirectory()
    const ports = { ...(await freePorts()), COLUMNSTORE_PORT: 0 }
    const instance = startInstance(directory.path, ports, { SVC_BIND: bind })
    await waitFor(() => instance.ended() || instance.output().includes('svc is running'), { timeoutMs: readyMs, what: 'the banner' })
    const url = / SQL +(\S+)/.exec(instance.output())?.[1]
    const host = bind === '::' ? '127.0.0.1' : '[::1]'
    expect(url).toMatch(/:[1-9]\d*$/)
    expect(url).toContain(`http://${host}:`)
    expect(await (await fetch(`${url}/ping`)).text()).toBe('Ok.\n')
    expect((await fetch(`http://${host}:${ports.PORT}/api/public/health`)).status).toBe(200)
    expect(await instance.end('SIGTERM')).toBe(0)
  }),
)

inNightly(() =>
  test('a busy port names its variable', async () => {
    await using directory = await temporaryDirectory()
    const ports = await freePorts()
    for (const variable of Object.keys(ports) as (keyof Ports)[]) {
      const holder = createServer().listen(ports[variable], '127.0.0.1')
      const instance = startInstance(directory.path, ports)
      await waitFor(() => instance.ended(), { what: 'the instance to end' })
      expect(instance.process.exitCode).toBe(1)
      expect(instance.output()).toContain(`is in use. Set ${variable} to a free port.`)
      holder.close()
    }
  }),
)

test('one error names all busy ports, each with its variable', async () => {
  await using directory = await temporaryDirectory()
  const ports = await freePorts()
  const holders = Object.values(ports).map(port => createServer().listen(port, '127.0.0.1'))
  const instance = startInstance(directory.path, ports)
  await waitFor(() => instance.ended(), { what: 'the instance to end' })
  for (const [variable, port] of Object.entries(ports)) expect(instance.output()).toContain(`${port} (${variable})`)
  for (const holder of holders) holder.close()
})

test('the error names an unusable data directory', async () => {
  const instance = startInstance('/dev/null/data', await freePorts())
  await waitFor(() => instance.ended(), { what: 'the instance to end' })
  expect(instance.process.exitCode).toBe(1)
  expect(instance.output()).toContain('SVC_DATA_DIR=/dev/null/data cannot be used as a directory')
})

test('all invalid variables are reported in one error', async () => {
  await using directory = await temporaryDirectory()
  const instance = startInstance(directory.path, await freePorts(), { SVC_MIGRATION_V4_WRITE_MODE: 'both', SVC_SPAN_MAX_AGE_MONTHS: '0' })
  await waitFor(() => instance.ended(), { what: 'the instance to end' })
  expect(instance.output()).toMatch(/SVC_MIGRATION_V4_WRITE_MODE.*both[\s\S]*SVC_SPAN_MAX_AGE_MONTHS/)
})

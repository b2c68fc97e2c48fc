// Starts a standalone as a user does: in a separate process, with its own ports and its own directory.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort, waitFor } from '@svc-server/testkit'

export interface Ports {
  readonly PORT: number
  readonly SVC_OTLP_PORT: number
  readonly SVC_OTLP_GRPC_PORT: number
  readonly SVC_WORKER_PORT: number
  readonly COLUMNSTORE_PORT: number
}

export const publicKey = 'pk-svc-test'
export const secretKey = 'sk-svc-test'
const columnStorePassword = 'a-password-for-tests'
export const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`

const main = join(import.meta.dirname, '../src/main.ts')
const svcMain = join(import.meta.dirname, '../../svc/src/main.ts')

export async function freePorts(): Promise<Ports> {
  return {
    PORT: await freePort(),
    SVC_OTLP_PORT: await freePort(),
    SVC_OTLP_GRPC_PORT: await freePort(),
    SVC_WORKER_PORT: await freePort(),
    COLUMNSTORE_PORT: await freePort(),
  }
}

const environmentOf = (directory: string, ports: Ports): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
  SVC_DATA_DIR: directory,
  SVC_LOG_FORMAT: 'json',
  SVC_INIT_PROJECT_PUBLIC_KEY: publicKey,
  SVC_INIT_PROJECT_SECRET_KEY: secretKey,
  COLUMNSTORE_PASSWORD: columnStorePassword,
  // The grace period is long, because a process drains slowly while all suites of a run share two processors.
  SVC_DRAIN_GRACE_MS: '2m',
})

export interface Instance {
  readonly process: ChildProcess
  readonly ports: Ports
  readonly tracesUrl: string
  output(): string
  enginePid(): number
  query<Row>(sql: string): Promise<Row[]>
  count(sql: string): Promise<number>
  /**
   * Sends the signal and waits until the process ends. Resolves with the exit code, or with the name of the signal that ended the process.
   */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
  ended(): boolean
}

/** Starts an instance, and does not wait for it. Call `ready` to wait until the instance is ready. */
export function startInstance(directory: string, ports: Ports, extra: NodeJS.ProcessEnv = {}): Instance {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { ...environmentOf(directory, ports), ...extra },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  child.stderr.on('data', chunk => (output += chunk))
  const exited = new Promise<number | NodeJS.Signals | null>(done => child.once('exit', (code, signal) => done(signal ?? code)))

  async function query<Row>(sql: string): Promise<Row[]> {
    const response = await fetch(`http://127.0.0.1:${ports.COLUMNSTORE_PORT}/?database=svc`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`svc:${columnStorePassword}`).toString('base64')}` },
      body: `${sql} FORMAT JSON`,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status}: ${text}`)
    return (JSON.parse(text) as { data: Row[] }).data
  }

  return {
    process: child,
    ports,
    tracesUrl: `http://127.0.0.1:${ports.SVC_OTLP_PORT}/api/public/otel/v1/traces`,
    output: () => output,
    query,
    count: async sql => Number((await query<{ n: string | number }>(sql))[0]?.n ?? Number.NaN),
    enginePid: () => {
      const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(child.pid)], { encoding: 'utf8' })
      const line = children.split('\n').find(each => each.includes('embedded-engine'))
      if (!line) throw new Error(`no engine process among:\n${children}`)
      return Number(line.trim().split(/\s+/)[0])
    },
    end: signal => {
      child.kill(signal)
      return exited
    },
    ended: () => child.exitCode !== null || child.signalCode !== null,
  }
}

/**
 * Maximum time until an instance is ready. The first start in an empty directory takes eight seconds of processor time. The start can
 * take much longer on the clock, because thirty programs can share the processors.
 */
export const readyMs = 240_000

/** Waits until the instance is ready. Rejects immediately if the process exits. Kills the process if it is not ready in time. */
export async function ready(instance: Instance): Promise<Instance> {
  const url = `http://127.0.0.1:${instance.ports.SVC_WORKER_PORT}/health/ready`
  const answers = async () => instance.output().includes('svc is running') && (await fetch(url)).ok
  await waitFor(async () => instance.ended() || (await answers()), { timeoutMs: readyMs, what: 'the instance to be ready' }).catch(
    async cause => {
      await instance.end('SIGKILL')
      throw new Error(`not ready:\n${instance.output()}`, { cause })
    },
  )
  if (instance.ended()) throw new Error(`the instance ended:\n${instance.output()}`)
  return instance
}

export interface Finished {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

export function svc(directory: string, ports: Ports, ...argv: string[]): Promise<Finished> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', svcMain, ...argv], {
    env: environmentOf(directory, ports),
  })
  let out = ''
  let error = ''
  child.stdout.on('data', chunk => (out += chunk))
  child.stderr.on('data', chunk => (error += chunk))
  return new Promise(done => child.once('exit', code => done({ code, out, error })))
}

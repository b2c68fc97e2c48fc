// Everything on one machine, each part in a process of its own, in the order in which they need each other; stopped the other way round.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@svc-server/dev-servers'
import { AppError, isAppError } from '@svc-server/errors'
import type { Environment } from '@svc-server/service/configuration'
import type { Logger } from '@svc-server/service/logs'
import { loadSecrets, lockDataDirectory } from '@svc-server/standalone'
import { type ClusterEnvironment, passedOn } from './config.ts'
import { createServiceProcess, type Exit, type ServiceProcess } from './service-process.ts'
import { type ClusterStores, requireFreeHere, startStores } from './stores.ts'

export interface ClusterOptions {
  readonly env: ClusterEnvironment
  /** Absolute; env.SVC_CLUSTER_DIR is not asked. */
  readonly directory: string
  /** Where variables of the services are taken from. */
  readonly servicesEnv: Environment
  readonly logger: Logger
  /** Progress of the start. */
  readonly say: (line: string) => void
  /** A line that a service wrote. */
  readonly onLine: (service: string, line: string) => void
  /** A service that ended by itself is started again, as an orchestrator does. Tests do it by hand. */
  readonly keepAlive: boolean
}

export interface Gateway extends ServiceProcess {
  readonly url: string
}

export interface RunningCluster {
  readonly gateways: readonly Gateway[]
  readonly writers: readonly ServiceProcess[]
  readonly propagators: readonly ServiceProcess[]
  readonly stores: ClusterStores
  readonly publicKey: string
  readonly secretKey: string
  readonly projectId: string
  /** What a `svc` command needs to reach this cluster; also in `envFile`. */
  readonly operatorEnv: Readonly<Record<string, string>>
  readonly envFile: string
  /** Drains and ends everything. Rejects, after all has ended, when a service did not end with 0. */
  stop(): Promise<void>
}

const restartPauseMs = 1_000
/** Gateways, propagators and writers drain one after the other, within the grace of the whole. */
const serviceGrace = (env: ClusterEnvironment) => Math.max(1_000, Math.floor(env.SVC_DRAIN_GRACE_MS * 0.3))

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** Starts all and resolves when all is ready; on failure, what has been started is stopped again. */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const closers: (() => Promise<unknown>)[] = []
  const closeAll = async () => {
    const failures: unknown[] = []
    for (const close of closers.splice(0).toReversed()) await close().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  try {
    return await startParts(options, close => closers.push(close), closeAll)
  } catch (error) {
    await closeAll().catch(failure => options.logger.error({ err: failure }, 'A part did not stop'))
    throw error
  }
}

async function startParts(
  { env, directory, servicesEnv, logger, say, onLine, keepAlive }: ClusterOptions,
  onClose: (close: () => Promise<unknown>) => void,
  stop: () => Promise<void>,
): Promise<RunningCluster> {
  const lock = lockDataDirectory(directory, 'SVC_CLUSTER_DIR')
  onClose(async () => lock.release())
  const secrets = loadSecrets(lock.paths.secrets)
  let stopping = false

  async function step<T>(what: string, work: () => Promise<T>, where: (result: T) => string): Promise<T> {
    const startedAt = performance.now()
    const result = await work().catch((cause: unknown) => {
      // What is missing on a machine is a sentence of the starter; it is the operator's to correct.
      throw isAppError(cause)
        ? cause
        : new AppError('config_invalid', cause instanceof Error ? cause.message : String(cause), { what }, { cause })
    })
    say(`${what.padEnd(14)} ${where(result).padEnd(34)} ${seconds(performance.now() - startedAt)}`)
    return result
  }

  const portOf = async (first: number, index: number, variable: string): Promise<number> => {
    if (first === 0) return freePort()
    await requireFreeHere(first + index, variable)
    return first + index
  }
  const gatewayPorts: (readonly [otlp: number, probe: number])[] = []
  for (let index = 0; index < env.SVC_CLUSTER_GATEWAYS; index++) {
    const otlp = await portOf(env.SVC_OTLP_PORT, index, 'SVC_OTLP_PORT')
    gatewayPorts.push([otlp, await portOf(env.SVC_GATEWAY_PROBE_PORT, index, 'SVC_GATEWAY_PROBE_PORT')])
  }
  const writerPorts: number[] = []
  for (let index = 0; index < env.SVC_CLUSTER_WRITERS; index++)
    writerPorts.push(await portOf(env.SVC_WORKER_PORT, index, 'SVC_WORKER_PORT'))
  const propagatorPorts: number[] = []
  for (let index = 0; index < env.SVC_CLUSTER_PROPAGATORS; index++)
    propagatorPorts.push(await portOf(env.SVC_PROPAGATOR_PORT, index, 'SVC_PROPAGATOR_PORT'))

  const stores = await startStores({ env, directory, secrets, logger, step, say, onClose })
  const { SVC_INIT_PROJECT_PUBLIC_KEY: publicKey = secrets.publicKey, SVC_INIT_PROJECT_SECRET_KEY: secretKey = secrets.secretKey } =
    servicesEnv
  const { SVC_INIT_PROJECT_ID: projectId = 'default-project', SALT: salt = secrets.salt } = servicesEnv
  const given = passedOn(servicesEnv)
  const common = {
    ...given,
    SVC_BIND: env.SVC_BIND,
    SVC_LOG_LEVEL: env.SVC_LOG_LEVEL,
    SVC_LOG_FORMAT: env.SVC_LOG_FORMAT === 'auto' && process.stdout.isTTY === true ? 'pretty' : env.SVC_LOG_FORMAT,
    SVC_DRAIN_GRACE_MS: String(serviceGrace(env)),
    ...stores.env,
  }
  const host = env.SVC_BIND === '0.0.0.0' ? '127.0.0.1' : env.SVC_BIND

  function service(name: string, script: string, probePort: number, serviceEnv: Readonly<Record<string, string>>): ServiceProcess {
    const onUnexpectedExit = async (exit: Exit) => {
      if (stopping || !keepAlive) return
      say(`${name} ended with ${exit}; it is started again`)
      await sleep(restartPauseMs)
      if (!stopping) await made.start().catch((error: Error) => say(error.message))
    }
    const made: ServiceProcess = createServiceProcess({
      name,
      script,
      env: { ...common, ...serviceEnv },
      probeUrl: `http://${host}:${probePort}`,
      onLine: line => onLine(name, line),
      onUnexpectedExit,
    })
    return made
  }
  /** Side by side, because each waits for the same stores; stopped side by side, too. */
  async function startAll(services: readonly ServiceProcess[]): Promise<void> {
    onClose(async () => {
      stopping = true
      const exits = await Promise.all(services.filter(each => each.running).map(async each => [each.name, await each.stop()] as const))
      const bad = exits.filter(([, exit]) => exit !== 0).map(([name, exit]) => `${name} ended with ${exit}`)
      if (bad.length > 0) throw new AppError('internal', `${bad.join(', ')} instead of draining.`)
    })
    await Promise.all(services.map(each => each.start()))
  }

  const writerScript = import.meta.resolve('@svc-server/events-writer/main')
  const writers = writerPorts.map((port, index) => service(`writer-${index + 1}`, writerScript, port, { SVC_WORKER_PORT: String(port) }))
  await step(
    'writers',
    () => startAll(writers),
    () => writers.map(each => each.probeUrl).join(' '),
  )

  const propagatorScript = import.meta.resolve('@svc-server/staging-propagator/main')
  const propagators = propagatorPorts.map((port, index) => {
    const name = `propagator-${index + 1}`
    return service(name, propagatorScript, port, { SVC_WORKER_PORT: String(port), SVC_DATA_DIR: join(directory, name) })
  })
  await step(
    'propagators',
    () => startAll(propagators),
    () => propagators.map(each => each.probeUrl).join(' '),
  )

  const gatewayScript = import.meta.resolve('@svc-server/otlp-gateway/main')
  const gatewayEnv = { SALT: salt, SVC_INIT_PROJECT_PUBLIC_KEY: publicKey, SVC_INIT_PROJECT_SECRET_KEY: secretKey }
  const gateways = gatewayPorts.map(([port, probePort], index): Gateway => {
    const ports = { SVC_OTLP_PORT: String(port), SVC_GATEWAY_PROBE_PORT: String(probePort) }
    const made = service(`gateway-${index + 1}`, gatewayScript, probePort, { ...gatewayEnv, ...ports })
    return Object.assign(made, { url: `http://${host}:${port}` })
  })
  await step(
    'gateways',
    () => startAll(gateways),
    () => gateways.map(each => each.url).join(' '),
  )

  const operatorEnv = {
    ...stores.env,
    SALT: salt,
    ...(given['SVC_TOPIC_PREFIX'] !== undefined && { SVC_TOPIC_PREFIX: given['SVC_TOPIC_PREFIX'] }),
  }
  const envFile = join(directory, 'env')
  writeFileSync(
    envFile,
    Object.entries(operatorEnv)
      .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`)
      .join(''),
    { mode: 0o600 },
  )

  return { gateways, writers, propagators, stores, publicKey, secretKey, projectId, operatorEnv, envFile, stop }
}

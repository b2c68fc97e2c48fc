// Runs the whole system on one machine, with each part in its own process.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@svc-server/dev-servers'
import { AppError, isAppError } from '@svc-server/errors'
import { type ListenOptions, reachableHost, requireFreePorts } from '@svc-server/http/listeners'
import { variablesOfService } from '@svc-server/service'
import type { Environment, LoadedSettings } from '@svc-server/service/configuration'
import type { Logger } from '@svc-server/service/logs'
import { lockDataDirectory } from '@svc-server/stores/data-directory'
import { createServiceProcess, type Exit, type ServiceProcess } from './service-process.ts'
import { type Kind, kinds } from './services.ts'
import { type ClusterConfig, clusterProcess, clusterSettings, passedOn, toldToCommands } from './settings.ts'
import { type ClusterStores, portsOfStores, startStores } from './stores.ts'

export interface ClusterOptions {
  readonly settings: LoadedSettings
  /** Absolute path of the cluster's directory. */
  readonly directory: string
  readonly servicesEnv: Environment
  readonly logger: Logger
  readonly say: (line: string) => void
  /** Receives each line of a service's output. */
  readonly onLine: (service: string, line: string) => void
  /** True if the cluster restarts a service that ended by itself. Tests set this option to false and restart services themselves. */
  readonly keepAlive: boolean
  /**
   * Returns the entry point for a kind of process, for example one of a different release. If the function returns undefined, the cluster
   * starts no process of this kind. By default, the cluster starts the processes of its own release.
   */
  readonly programs?: ((kind: Kind) => string | undefined) | undefined
}

interface ClusterProcess extends ServiceProcess {
  /** URL of the process's first port. A gateway's first port is for OTLP over HTTP. */
  readonly url: string
}

export interface RunningCluster {
  readonly gateways: readonly ClusterProcess[]
  readonly writers: readonly ServiceProcess[]
  readonly propagators: readonly ServiceProcess[]
  readonly mergers: readonly ServiceProcess[]
  readonly apis: readonly ClusterProcess[]
  readonly backfillRunners: readonly ServiceProcess[]
  readonly stores: ClusterStores
  readonly publicKey: string
  readonly secretKey: string
  readonly projectId: string
  /** Environment with which a `svc` command reaches this cluster. */
  readonly operatorEnv: Readonly<Record<string, string>>
  readonly envFile: string
  /** Drains and ends all processes. Rejects if a service exited with a code other than 0. */
  stop(): Promise<void>
}

const restartPauseMs = 1_000
const serviceGrace = ({ drainGraceMs }: ClusterConfig) => Math.max(1_000, Math.floor(drainGraceMs * 0.23))

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** If a part fails to start, stops the parts that already run. */
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
    await closeAll().catch(failure => options.logger.error({ err: failure }, 'A component did not stop'))
    throw error
  }
}

async function startParts(
  { settings, directory, servicesEnv, logger, say, onLine, keepAlive, programs = ({ script }) => script }: ClusterOptions,
  onClose: (close: () => Promise<unknown>) => void,
  stop: () => Promise<void>,
): Promise<RunningCluster> {
  const lock = lockDataDirectory(directory, 'SVC_CLUSTER_DIR')
  onClose(async () => lock.release())
  const { secrets } = lock
  const config: ClusterConfig = { ...settings.of(clusterSettings), ...settings.of(clusterProcess) }
  let stopping = false

  async function step<T>(what: string, work: () => Promise<T>, where: (result: T) => string): Promise<T> {
    const startedAt = performance.now()
    const result = await work().catch((cause: unknown) => {
      // An AppError already has a code and describes the problem, so `step` throws the AppError unchanged.
      throw isAppError(cause)
        ? cause
        : new AppError('config_invalid', cause instanceof Error ? cause.message : String(cause), { what }, { cause })
    })
    say(`${what.padEnd(14)} ${where(result).padEnd(34)} ${seconds(performance.now() - startedAt)}`)
    return result
  }

  const { servers, engine } = portsOfStores(config)
  const wanted: ListenOptions[] = [...servers]
  const portOf = async (first: number, distance: number, variable: string): Promise<number> => {
    if (first === 0) return freePort()
    wanted.push({ host: '127.0.0.1', port: first + distance, variable })
    return first + distance
  }
  const ports = new Map<Kind, readonly (readonly number[])[]>()
  for (const kind of kinds.toReversed()) {
    const { count } = settings.of({ count: kind.count })
    const ofKind: number[][] = []
    for (let index = 0; index < count; index++) {
      const ofProcess: number[] = []
      for (const { first, step = 1 } of kind.ports) ofProcess.push(await portOf(settings.of({ first }).first, index * step, first.env))
      ofKind.push(ofProcess)
    }
    ports.set(kind, ofKind)
  }
  // If only the engine's port is busy, this is no error, because a killed engine releases its port only after a moment. If another port is
  // busy, the error names all busy ports.
  await requireFreePorts(wanted).catch(() => requireFreePorts([...wanted, ...engine]))

  const stores = await startStores({ config, directory, secrets, logger, step, say, onClose })
  const { SVC_INIT_PROJECT_PUBLIC_KEY: publicKey = secrets.publicKey, SVC_INIT_PROJECT_SECRET_KEY: secretKey = secrets.secretKey } =
    servicesEnv
  const { SVC_INIT_PROJECT_ID: projectId = 'default-project', SALT: salt = secrets.salt } = servicesEnv
  const given = passedOn(servicesEnv)
  const common: Readonly<Record<string, string>> = {
    ...given,
    SVC_BIND: config.bind,
    SVC_LOG_LEVEL: config.logLevel,
    SVC_LOG_FORMAT: config.logFormat === 'auto' && process.stdout.isTTY === true ? 'pretty' : config.logFormat,
    SVC_DRAIN_GRACE_MS: String(serviceGrace(config)),
    SALT: salt,
    SVC_INIT_PROJECT_PUBLIC_KEY: publicKey,
    SVC_INIT_PROJECT_SECRET_KEY: secretKey,
    ...stores.env,
  }
  const host = reachableHost(config.bind)

  const processes = new Map<string, readonly ClusterProcess[]>()

  function processOf(kind: Kind, index: number): ClusterProcess {
    const name = `${kind.name}-${index + 1}`
    const own = ports.get(kind)![index]!
    const env: Record<string, string> = { ...common, SVC_DATA_DIR: join(directory, name) }
    kind.ports.forEach(({ variable }, at) => {
      env[variable] = String(own[at])
    })
    const { told } = kind
    if (told !== undefined) env[told.variable] ??= (processes.get(told.kind) ?? []).map(({ url }) => url).join(',')
    // `known` contains the variables that the program can read. Node itself reads NODE_EXTRA_CA_CERTS.
    const program = programs(kind)
    // A program of another release can read variables that the service of this release does not read. Such a program therefore receives the
    // variables of all services.
    const definitions = program === kind.script ? [kind.definition] : kinds.map(({ definition }) => definition)
    const known = [...definitions.flatMap(definition => [...variablesOfService(definition)]), 'NODE_EXTRA_CA_CERTS']
    const onUnexpectedExit = async (exit: Exit) => {
      if (stopping || !keepAlive) return
      say(`${name} ended with ${exit}; starting it again`)
      await sleep(restartPauseMs)
      if (!stopping) await made.start().catch((error: Error) => say(error.message))
    }
    const made: ServiceProcess = createServiceProcess({
      name,
      script: program ?? kind.script,
      // A process receives only the variables that its program can read.
      env: Object.fromEntries(Object.entries(env).filter(([variable]) => known.includes(variable))),
      probeUrl: `http://${host}:${own.at(-1)}`,
      onLine: line => onLine(name, line),
      onUnexpectedExit,
    })
    // With a certificate, client ports use TLS, but probe ports use plain HTTP.
    const scheme = servicesEnv['SVC_TLS_CERT_FILE'] ? 'https' : 'http'
    return Object.assign(made, { url: `${scheme}://${host}:${own[0]}` })
  }
  /** Starts the processes of one kind in parallel, so that they wait for their stores at the same time instead of one after the other. */
  async function startAll(services: readonly ServiceProcess[]): Promise<void> {
    onClose(async () => {
      stopping = true
      const exits = await Promise.all(services.filter(each => each.running).map(async each => [each.name, await each.stop()] as const))
      const bad = exits.filter(([, exit]) => exit !== 0).map(([name, exit]) => `${name} ended with ${exit}`)
      if (bad.length > 0) throw new AppError('internal', `${bad.join(', ')} instead of draining.`)
    })
    await Promise.all(services.map(each => each.start()))
  }

  for (const kind of kinds) {
    const made = ports.get(kind)!.map((_, index) => processOf(kind, index))
    processes.set(kind.name, made)
    await step(
      `${kind.name}s`,
      () => startAll(programs(kind) === undefined ? [] : made),
      () => made.map(each => each.url).join(' '),
    )
  }
  const [gateways = [], writers = [], propagators = [], mergers = [], apis = [], backfillRunners = []] = [
    'gateway',
    'writer',
    'propagator',
    'merger',
    'api',
    'backfill',
  ].map(name => processes.get(name))

  const operatorEnv = { ...toldToCommands(given), ...stores.env, SALT: salt }
  const envFile = join(directory, 'env')
  writeFileSync(
    envFile,
    Object.entries(operatorEnv)
      .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`)
      .join(''),
    { mode: 0o600 },
  )

  return {
    gateways,
    writers,
    propagators,
    mergers,
    apis,
    backfillRunners,
    stores,
    publicKey,
    secretKey,
    projectId,
    operatorEnv,
    envFile,
    stop,
  }
}

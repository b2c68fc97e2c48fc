// Runs the whole system in one process on the embedded stores. The standalone uses the same service definitions as a cluster.
import { setTimeout as sleep } from 'node:timers/promises'
import { socketPathOf } from '@svc-server/commands/socket/address'
import { serveCommands } from '@svc-server/commands/socket/serve'
import { isAppError } from '@svc-server/errors'
import {
  closeServer,
  createHttpServer,
  type ListenOptions,
  listen,
  type PortServer,
  reachableHost,
  requireFreePorts,
} from '@svc-server/http/listeners'
import { publicApi } from '@svc-server/public-api/service'
import { createLink } from '@svc-server/relational/sign-in-links'
import { instance } from '@svc-server/relational/tenancy'
import type { RunningService } from '@svc-server/service'
import type { Setting } from '@svc-server/service/configuration'
import { createHealth, healthy, unhealthy } from '@svc-server/service/health'
import { drainEach, type ProcessContext, processSettings, type Service } from '@svc-server/service/lifecycle'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { createMonitorPage, createProbeConnections, createProbeHandler, isProbe, workerPort } from '@svc-server/service/probes'
import { createStores } from '@svc-server/service/store'
import { tlsSettings } from '@svc-server/service/tls'
import { columnStore } from '@svc-server/stores/column-store'
import type { DataDirectory } from '@svc-server/stores/data-directory'
import {
  type ColumnStoreAddress,
  embeddedColumnStoreAddress,
  embeddedColumnStoreSettings,
  embeddedFirstProject,
  embeddedFirstUser,
  embeddedStoresOn,
} from '@svc-server/stores/embedded'
import { encryption } from '@svc-server/stores/encryption'
import { eventLog } from '@svc-server/stores/event-log'
import { keys } from '@svc-server/stores/keys'
import { migrationSettings } from '@svc-server/stores/migration'
import { embeddedMigrations } from '@svc-server/stores/migrations-by-hand'
import { relational } from '@svc-server/stores/relational'
import { windowTimes } from '@svc-server/stores/windows'
import manifest from '../package.json' with { type: 'json' }
import { grpcPort, otlpPort, publicPort, services } from './services.ts'

const { version } = manifest
const certificateFiles = { tlsCertFile: tlsSettings.tlsCertFile, tlsKeyFile: tlsSettings.tlsKeyFile }
const closeGraceMs = 5_000
/** The part of the grace period that is reserved for closing connections and stores, after the services have drained. */
const endGraceMs = 8_000
const engineLeavesWithinMs = 5_000

interface Addresses {
  readonly public: string
  readonly otlp: string
  readonly grpc: string
  readonly worker: string
}

export interface Standalone extends Service {
  /** Call the functions of this interface only after the start. */
  addresses(): Addresses
  columnStore(): ColumnStoreAddress
  hasFirstKeys(): boolean
  /** Returns a new token for the first user's one-time sign-in link. Undefined if no first user exists or this user has a password. */
  signInToken(): Promise<string | undefined>
}

interface Deps extends ProcessContext {
  readonly directory: DataDirectory
}

/**
 * Waits until a port is free, because a killed engine releases its port only after a moment. Rejects with `port_in_use` if the port stays
 * busy, because another program then uses the port.
 */
async function untilFree(port: ListenOptions): Promise<void> {
  const giveUpAt = performance.now() + engineLeavesWithinMs
  for (;;) {
    try {
      return await requireFreePorts([port])
    } catch (error) {
      if (!isAppError(error) || error.code !== 'port_in_use' || performance.now() > giveUpAt) throw error
      await sleep(100)
    }
  }
}

export function createStandalone({ settings, directory, logger, onBug, onBroken }: Deps): Standalone {
  const health = createHealth({ version })
  const metrics = createMetricRegistry({ version })
  let isStarted = false
  const opening = unhealthy('the stores are being opened')
  health.register({ name: 'standalone', probe: 'ready', check: () => (isStarted ? healthy : opening) })
  const stores = createStores({ settings, tools: { logger, process: 'standalone' }, replacements: embeddedStoresOn(directory) })
  const tools = { logger, metrics, health, clock: Date.now, onBug, onBroken }
  const prepared = services.map(service => ({ service, ...service.prepare(settings, tools) }))

  const probes = createProbeHandler({ health, metrics })
  const monitorPage = createMonitorPage({
    health,
    database: () => stores.opened(relational),
    reports: () => Object.assign({}, ...running.map(({ reports }) => reports)),
  })
  const servers: PortServer[] = []
  const running: RunningService[] = []
  const opened = new Map<Setting<number>, number>()
  let worker = 0
  const { bind, drainGraceMs } = settings.of(processSettings)
  const engine = settings.of(embeddedColumnStoreSettings)
  const onDefect = (error: unknown) => logger.error({ err: error }, 'A request or command failed because of a defect')

  function addresses(): Addresses {
    const host = reachableHost(bind)
    const scheme = settings.of(certificateFiles).tlsCertFile === undefined ? 'http' : 'https'
    const { basePath = '' } = settings.of({ basePath: publicApi.variables.basePath })
    const at = (port: Setting<number>) => `${host}:${opened.get(port) ?? 0}`
    return {
      public: `${scheme}://${at(publicPort)}${basePath}`,
      otlp: `${scheme}://${at(otlpPort)}`,
      grpc: at(grpcPort),
      worker: `http://${host}:${worker}`,
    }
  }

  const optionsOf = (setting: Setting<number>): ListenOptions => ({
    host: bind,
    ...settings.of({ port: setting }),
    variable: setting.env,
  })

  async function open(server: PortServer, setting: Setting<number>): Promise<number> {
    servers.push(server)
    return (await listen(server, optionsOf(setting))).port
  }
  const createWorkerServer = () => {
    const places = createProbeConnections()
    return createHttpServer({
      handle(request, response) {
        if (!places.mayAsk(request, isProbe(request))) response.writeHead(503, { connection: 'close' }).end()
        else if (!probes(request, response) && !monitorPage(request, response)) response.writeHead(404).end()
      },
      onDefect,
      connections: places.connections,
      server: places.server,
    })
  }

  return {
    addresses,

    columnStore() {
      const address = stores.opened(embeddedColumnStoreAddress)
      if (address === undefined) throw new Error('The column store is not open')
      return address
    },
    hasFirstKeys: () => stores.opened(embeddedFirstProject)?.takenAway === null,
    async signInToken() {
      const user = stores.opened(embeddedFirstUser)?.user
      if (user === undefined || user.hasPassword) return undefined
      return (await createLink(instance(await stores.open(relational)), user.id, { actor: 'operator', at: new Date() })).token
    },

    async start() {
      // Checks all ports before any store is opened, and reports all busy ports in one error.
      const ownPorts = [...prepared.flatMap(({ servers }) => servers.map(({ port }) => port)), workerPort].map(optionsOf)
      const enginePorts = engine.url === undefined ? [optionsOf(embeddedColumnStoreSettings.port)] : []
      await requireFreePorts(ownPorts).catch(() => requireFreePorts([...ownPorts, ...enginePorts]))
      const fronts = prepared.flatMap(({ front }) => front ?? [])
      for (const front of fronts) for (const other of fronts) if (other !== front) front.handOver?.(other.requests)
      for (const { port, server } of prepared.flatMap(({ servers }) => servers)) opened.set(port, await open(server, port))
      worker = await open(createWorkerServer(), workerPort)
      for (const port of enginePorts) await untilFree(port)

      // The relational store and the column store are slow to open. A new embedded relational store also blocks the event loop for seconds.
      // The log opens after these two stores, because its brokers would seem not to respond while the event loop is blocked.
      await Promise.all([stores.open(keys), stores.open(columnStore)])
      for (const { create } of prepared) running.push(await create(stores))
      for (const service of running) await service.start()
      isStarted = true

      const context = {
        keys: () => stores.open(keys),
        relational: () => stores.open(relational),
        log: () => stores.open(eventLog),
        columnStore: () => stores.open(columnStore),
        migrations: () => stores.open(embeddedMigrations),
        encryption: () => stores.open(encryption),
        ...settings.of({ writeMode: migrationSettings.writeMode }),
        windowTimes: settings.of(windowTimes),
        certificate: settings.of(certificateFiles),
        webUrl: settings.of({ url: publicApi.variables.publicUrl }).url ?? addresses().public,
        dataDirectory: directory.path,
        servicesRunning: true,
      }
      servers.push(await serveCommands(socketPathOf(directory.path), context, onDefect))
    },

    async drain() {
      health.drain()
      const named = running.map((service, at) => ({ name: prepared[at]!.service.name, drain: () => service.drain() }))
      const graceMs = Math.max(drainGraceMs - endGraceMs, drainGraceMs / 2)
      const isClean = await drainEach(named, { graceMs, logger })
      await Promise.all(servers.map(server => closeServer(server, { graceMs: closeGraceMs })))
      await stores.close()
      directory.release()
      if (!isClean) throw new Error('Some services did not drain; the lines above name them')
    },
  }
}

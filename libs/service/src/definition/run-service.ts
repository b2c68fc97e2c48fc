// Runs one service as its own process: opens its ports, waits for its stores, then starts the service.

import { closeServer, listen, requireFreePorts } from '@svc-server/http/listeners'
import { type Environment, settingsOf } from '../configuration/load-settings.ts'
import type { Settings } from '../configuration/setting.ts'
import { createHealth } from '../health/health.ts'
import { createPatientStart } from '../lifecycle/patient-start.ts'
import { type ProcessContext, processSettings, runProcess } from '../lifecycle/process.ts'
import type { NamedService } from '../lifecycle/run-until-signal.ts'
import { startAnew } from '../lifecycle/start-anew.ts'
import { createMetricRegistry } from '../metrics/registry.ts'
import { createMonitorPage } from '../probes/monitor-page.ts'
import { createProbeServer } from '../probes/probe-server.ts'
import { type RunningService, type ServiceDefinition, serviceSettings } from './define-service.ts'
import { createStores, type Stores, storeProblems, storeSettings, storesOf } from './open-stores.ts'

const closeGraceMs = 5_000

/** Returns the settings of a process with this service, except those that all processes have. */
export const settingsOfService = (definition: ServiceDefinition): readonly Settings[] => [
  ...serviceSettings(definition),
  ...storeSettings(storesOf(definition.needs)),
]

/** Returns the settings that a process has in addition to the settings of its service. README tables list them separately. */
export function settingsBeside(definition: ServiceDefinition): Settings {
  const own = new Set(Object.values(definition.variables))
  const all = settingsOf([...settingsOfService(definition), processSettings])
  return Object.fromEntries(all.filter(each => !own.has(each)).map(each => [each.env, each]))
}

/** Returns the names of the environment variables that a process with this service reads, for tools that start such a process. */
export const variablesOfService = (definition: ServiceDefinition): readonly string[] =>
  settingsOf([...settingsOfService(definition), processSettings]).map(({ env }) => env)

/** Runs until a stop signal, then exits. `env` is the whole process environment. */
export const runService = (definition: ServiceDefinition, env: Environment): Promise<void> =>
  runProcess({
    service: definition.name,
    summary: definition.summary,
    settings: settingsOfService(definition),
    env,
    validate: settings => [...definition.problems(settings), ...storeProblems(storesOf(definition.needs), settings)],
    create: context => processOf(definition, context),
  })

function processOf(definition: ServiceDefinition, { settings, logger, onBug, onBroken }: ProcessContext) {
  const { name, version, monitored } = definition
  const health = createHealth({ version })
  const metrics = createMetricRegistry({ version })
  const { host, port } = settings.of({ host: processSettings.bind, port: definition.probePort })
  const tools = { logger, metrics, health, clock: Date.now, onBug, onBroken }
  const prepared = definition.prepare(settings, tools)
  let stores: Stores | undefined
  let running: RunningService | undefined

  const { database } = monitored ?? {}
  const page = createMonitorPage({
    health,
    reports: () => running?.reports ?? {},
    ...(database && { database: () => stores?.opened(database) }),
  })
  const probeServer = createProbeServer({
    ...{ health, logger, metrics, host, port, variable: definition.probePort.env },
    ...(monitored && { also: page }),
  })

  const onItsStores = createPatientStart({
    name,
    health,
    logger,
    onRefused: () => process.exit(1),
    async open({ reach, onClose }) {
      const opened = createStores({ settings, tools: { logger, process: name }, reach })
      stores = opened
      onClose(opened.close)
      // A store can fail between its opening and its first use, for example if a leader moves.
      const made = await reach(`What ${name} works on`, () => startAnew(() => prepared.create(opened), logger))
      onClose(() => made.drain())
      running = made
    },
  })
  // Parts are drained from last to first: the service and its stores, then the connections, then the probes.
  const ports = [definition.probePort, ...definition.ports.map(front => front.port)]
  const portsAreFree: NamedService = {
    name: 'ports',
    start: () => requireFreePorts(ports.map(each => ({ host, ...settings.of({ port: each }), variable: each.env }))),
    drain: async () => {},
  }
  return { health, services: [portsAreFree, probeServer, ...portsOf(prepared, { settings, host }), onItsStores] }
}

/** The process opens its ports before its stores. Until the stores are open, clients are asked to retry. */
function portsOf(
  { servers }: Pick<ReturnType<ServiceDefinition['prepare']>, 'servers'>,
  { settings, host }: Pick<ProcessContext, 'settings'> & { readonly host: string },
): readonly NamedService[] {
  return servers.map(({ name, port, server }) => ({
    name,
    start: async () => void (await listen(server, { host, port: settings.of({ port }).port, variable: port.env })),
    drain: () => closeServer(server, { graceMs: closeGraceMs }),
  }))
}

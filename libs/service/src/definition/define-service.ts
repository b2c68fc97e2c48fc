// The definition of a service: its settings, the stores that it needs, and a factory. `runService` runs one definition as a
// process. The programs `apps/standalone` and `apps/cluster` run a list of definitions.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { PortServer } from '@svc-server/http/listeners'
import type { LoadedSettings } from '../configuration/load-settings.ts'
import type { Setting, Settings, ValuesOf } from '../configuration/setting.ts'
import type { Health } from '../health/health.ts'
import type { Service } from '../lifecycle/run-until-signal.ts'
import type { Logger } from '../logs/logger.ts'
import type { MetricCatalog } from '../metrics/definition.ts'
import type { MetricRegistry } from '../metrics/registry.ts'
import type { Report } from '../probes/monitor-page.ts'
import type { Needs, Opened, Store } from './define-store.ts'
import type { Stores } from './open-stores.ts'

export interface ServiceTools {
  readonly logger: Logger
  /** The metric registry that all services of the process share. */
  readonly metrics: MetricRegistry
  readonly health: Health
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Reports an unexpected error. The process must then end. */
  readonly onBug: (error: unknown) => void
  /**
   * Reports that an unexpected error has broken the state that requests share, such as the log. The process must then finish its requests
   * and end.
   */
  readonly onBroken: (error: unknown) => void
}

export interface RequestHandlers {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** Handles requests that wait for `100 Continue`. */
  readonly handleExpectingContinue: (request: IncomingMessage, response: ServerResponse) => void
}

/** The port for clients. The process opens this port before it opens the stores. */
export interface Front {
  /** Creates servers that share the port's state and do not listen yet. */
  newServer(): Server
  readonly requests: RequestHandlers
  /** Gives this port the request handlers of another port. This port can pass requests to these handlers. */
  handOver?(to: RequestHandlers): void
}

interface ListenerPort {
  readonly name: string
  readonly port: Setting<number>
}

export interface RunningService extends Service {
  /** Health reports by name. Monitors of existing deployments request a report with the query parameter `failIf<Name>Stuck`. */
  readonly reports?: Readonly<Record<string, () => Promise<Report>>>
}

interface Ping {
  ping(): Promise<unknown>
}

export interface ServiceParts<V extends Settings, N extends Needs, F extends Front> {
  readonly name: string
  /** First line of --help. */
  readonly summary: string
  readonly version: string
  readonly variables: V
  /** The stores that the service needs, in the order in which they are opened. */
  readonly needs: N
  readonly metrics: MetricCatalog
  /** The port for probes and metrics, if the service runs as its own process. */
  readonly probePort: Setting<number>
  /** The probe port also serves `/api/health` and `/api/ready`; each request pings the database. */
  readonly monitored?: { readonly database?: Store<Ping> }
  /** Checks whether settings that are individually valid conflict with each other. Returns a sentence for each conflict. */
  readonly validate?: (config: ValuesOf<V>) => readonly string[]
  readonly front?: {
    readonly ports: readonly (ListenerPort & { readonly newServer: (front: F) => PortServer })[]
    readonly create: (config: ValuesOf<V>, tools: ServiceTools) => F
  }
  /** The service does no work before `start`. */
  readonly create: (config: ValuesOf<V>, stores: Opened<N>, tools: ServiceTools & { readonly front: F }) => RunningService
}

/** A service's definition. Its type does not name the service's stores and front, so one list can contain different services. */
export interface ServiceDefinition<V extends Settings = Settings> {
  readonly name: string
  readonly summary: string
  readonly version: string
  readonly variables: V
  readonly needs: Needs
  readonly metrics: MetricCatalog
  readonly probePort: Setting<number>
  readonly monitored?: { readonly database?: Store<Ping> }
  readonly ports: readonly ListenerPort[]
  problems(settings: LoadedSettings): readonly string[]
  prepare(settings: LoadedSettings, tools: ServiceTools): PreparedService
}

interface PreparedService {
  readonly front?: Front
  /** One server per client port. The servers do not listen yet. */
  readonly servers: readonly (ListenerPort & { readonly server: PortServer })[]
  /** Opens the service's stores and creates the service, but does not start it. */
  create(stores: Pick<Stores, 'openAll'>): Promise<RunningService>
}

export function defineService<const V extends Settings, const N extends Needs, F extends Front = never>(
  parts: ServiceParts<V, N, F>,
): ServiceDefinition<V> {
  const { create, validate, front: listenerParts, ...rest } = parts
  return {
    ...rest,
    ports: (listenerParts?.ports ?? []).map(({ name, port }) => ({ name, port })),
    problems: settings => validate?.(settings.of(parts.variables)) ?? [],
    prepare(settings, tools) {
      const config = settings.of(parts.variables)
      const front = listenerParts?.create(config, tools)
      return {
        ...(front && { front }),
        servers: front ? listenerParts!.ports.map(({ name, port, newServer }) => ({ name, port, server: newServer(front) })) : [],
        create: async stores => create(config, await stores.openAll(parts.needs), { ...tools, front: front as F }),
      }
    },
  }
}

/** Returns a service's own settings, without the settings of its stores and of its process. */
export const serviceSettings = ({ variables, probePort, ports }: ServiceDefinition): readonly Settings[] => [
  variables,
  { ...Object.fromEntries(ports.map(({ name, port }) => [name, port])), probePort },
]

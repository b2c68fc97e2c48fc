// The definition of a service: its settings, the stores that it needs, and a factory. `runService` runs a definition as a process. The
// programs of the standalone and of the cluster each run a list of definitions.
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
  /** Registry of the process; services in one process share it. */
  readonly metrics: MetricRegistry
  readonly health: Health
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Reports an unexpected error. The process must then end. */
  readonly onBug: (error: unknown) => void
  /** Reports an unexpected error in state that several requests share. After the error, the process must finish its requests and end. */
  readonly onBroken: (error: unknown) => void
}

/** Request handlers of a server. */
export interface RequestHandlers {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** Handles requests that wait for `100 Continue`. */
  readonly handleExpectingContinue: (request: IncomingMessage, response: ServerResponse) => void
}

/** A client port that opens before the stores; the service attaches its handlers when the stores are open. */
export interface Front {
  /** Creates servers that share the port's state and do not listen yet. */
  newServer(): Server
  readonly requests: RequestHandlers
  /** If a request belongs to a different port of the same process, passes it directly to that port's handlers. */
  handOver?(to: RequestHandlers): void
}

/** A client port of a service. */
interface ListenerPort {
  readonly name: string
  readonly port: Setting<number>
}

export interface RunningService extends Service {
  /** Reports by name. Monitors of existing deployments select a report with the parameter `failIf<Name>Stuck`. */
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
  /** The service's settings: name in the code, variable, default, unit, range, description. */
  readonly variables: V
  /** The stores, in opening order. */
  readonly needs: N
  readonly metrics: MetricCatalog
  /** Port of probes and metrics if the service runs as a separate process. */
  readonly probePort: Setting<number>
  /** The probe port also serves `/api/health` and `/api/ready`; each request pings the database, if any. */
  readonly monitored?: { readonly database?: Store<Ping> }
  /** Returns sentences about valid settings that conflict. */
  readonly validate?: (config: ValuesOf<V>) => readonly string[]
  readonly front?: {
    readonly ports: readonly (ListenerPort & { readonly newServer: (front: F) => PortServer })[]
    readonly create: (config: ValuesOf<V>, tools: ServiceTools) => F
  }
  /** Creates the service, which does no work before `start`. */
  readonly create: (config: ValuesOf<V>, stores: Opened<N>, tools: ServiceTools & { readonly front: F }) => RunningService
}

/** A definition without its type parameters, for lists of definitions. */
export interface ServiceDefinition<V extends Settings = Settings> {
  readonly name: string
  readonly summary: string
  readonly version: string
  readonly variables: V
  readonly needs: Needs
  readonly metrics: MetricCatalog
  readonly probePort: Setting<number>
  readonly monitored?: { readonly database?: Store<Ping> }
  /** Ports for clients. */
  readonly ports: readonly ListenerPort[]
  problems(settings: LoadedSettings): readonly string[]
  prepare(settings: LoadedSettings, tools: ServiceTools): PreparedService
}

interface PreparedService {
  readonly front?: Front
  /** One server for each client port. The servers do not listen yet. */
  readonly servers: readonly (ListenerPort & { readonly server: PortServer })[]
  /** Opens the stores that the service needs and creates the service without starting it. */
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

/** Settings of the service itself. The stores and the process add their own settings. */
export const serviceSettings = ({ variables, probePort, ports }: ServiceDefinition): readonly Settings[] => [
  variables,
  { ...Object.fromEntries(ports.map(({ name, port }) => [name, port])), probePort },
]

// A service is a definition, not a program: its settings, the stores it needs and how it is made of them. `runService` makes a
// process of it; the standalone and the cluster hold lists of definitions.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { PortServer } from '@svc-server/http/listeners'
import type { LoadedSettings } from '../configuration/load-settings.ts'
import type { Setting, Settings, ValuesOf } from '../configuration/setting.ts'
import type { Health } from '../health/health.ts'
import type { Service } from '../lifecycle/run-until-signal.ts'
import type { Logger } from '../logs/logger.ts'
import type { MetricCatalogue } from '../metrics/definition.ts'
import type { MetricRegistry } from '../metrics/registry.ts'
import type { Report } from '../probes/monitor-page.ts'
import type { Needs, Opened, Store } from './define-store.ts'
import type { Stores } from './open-stores.ts'

export interface ServiceTools {
  readonly logger: Logger
  /** Of the process: services that share one share its registry. */
  readonly metrics: MetricRegistry
  readonly health: Health
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Something was thrown that nobody expected: the process must end. */
  readonly onBug: (error: unknown) => void
  /** The same of what requests share: the process must finish what it has and end. */
  readonly onBroken: (error: unknown) => void
}

/** What a server does with its requests. */
export interface RequestHandlers {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** For requests that wait for `100 Continue`. */
  readonly handleExpectingContinue: (request: IncomingMessage, response: ServerResponse) => void
}

/** What clients reach before the stores are open, and is told them when they are. */
export interface Front {
  /** Any number of servers, none of them listening yet, that share what the front knows. */
  newServer(): Server
  readonly requests: RequestHandlers
  /** Of the front that other fronts of the same process have requests on: what is theirs is handed to them, with nothing between. */
  handOver?(to: RequestHandlers): void
}

/** A port that clients reach. */
interface FrontPort {
  readonly name: string
  readonly port: Setting<number>
}

export interface RunningService extends Service {
  /** What monitors of existing deployments ask for by name, `failIf<Name>Stuck`. */
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
  /** The one place of its settings: name in the code, variable, default, unit, range, sentence. */
  readonly variables: V
  /** The stores, in the order in which they are opened. */
  readonly needs: N
  readonly metrics: MetricCatalogue
  /** Port of probes and metrics of a process of its own. */
  readonly probePort: Setting<number>
  /** Its probe port also answers `/api/health` and `/api/ready`; the store, if any, is asked with them. */
  readonly monitored?: { readonly database?: Store<Ping> }
  /** What is wrong with its settings together, in sentences, each being valid. */
  readonly validate?: (config: ValuesOf<V>) => readonly string[]
  readonly front?: {
    readonly ports: readonly (FrontPort & { readonly newServer: (front: F) => PortServer })[]
    readonly create: (config: ValuesOf<V>, tools: ServiceTools) => F
  }
  /** Wiring alone; nothing happens before `start`. */
  readonly create: (config: ValuesOf<V>, stores: Opened<N>, tools: ServiceTools & { readonly front: F }) => RunningService
}

/** The same with its types closed in: what programs hold in lists. */
export interface ServiceDefinition<V extends Settings = Settings> {
  readonly name: string
  readonly summary: string
  readonly version: string
  readonly variables: V
  readonly needs: Needs
  readonly metrics: MetricCatalogue
  readonly probePort: Setting<number>
  readonly monitored?: { readonly database?: Store<Ping> }
  /** Ports that clients reach. */
  readonly ports: readonly FrontPort[]
  problems(settings: LoadedSettings): readonly string[]
  prepare(settings: LoadedSettings, tools: ServiceTools): PreparedService
}

interface PreparedService {
  readonly front?: Front
  /** Of each of its ports a server that is not listening yet. */
  readonly servers: readonly (FrontPort & { readonly server: PortServer })[]
  /** Opens what it needs and makes the service, not started. */
  create(stores: Pick<Stores, 'openAll'>): Promise<RunningService>
}

export function defineService<const V extends Settings, const N extends Needs, F extends Front = never>(
  parts: ServiceParts<V, N, F>,
): ServiceDefinition<V> {
  const { create, validate, front: frontParts, ...rest } = parts
  return {
    ...rest,
    ports: (frontParts?.ports ?? []).map(({ name, port }) => ({ name, port })),
    problems: settings => validate?.(settings.of(parts.variables)) ?? [],
    prepare(settings, tools) {
      const config = settings.of(parts.variables)
      const front = frontParts?.create(config, tools)
      return {
        ...(front && { front }),
        servers: front ? frontParts!.ports.map(({ name, port, newServer }) => ({ name, port, server: newServer(front) })) : [],
        create: async stores => create(config, await stores.openAll(parts.needs), { ...tools, front: front as F }),
      }
    },
  }
}

/** What the service itself knows by its variables; its stores and its process add theirs. */
export const serviceSettings = ({ variables, probePort, ports }: ServiceDefinition): readonly Settings[] => [
  variables,
  { ...Object.fromEntries(ports.map(({ name, port }) => [name, port])), probePort },
]

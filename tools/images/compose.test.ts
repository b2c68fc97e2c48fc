// Compares docker-compose.yml and the Dockerfile with the variables and files of the services.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { operatorSettings } from '../../apps/svc/src/settings.ts'
import { loadSettings, type Settings } from '../../libs/service/src/configuration/index.ts'
import { type ServiceDefinition, settingsOfService, variablesOfService } from '../../libs/service/src/definition/index.ts'
import { processSettings } from '../../libs/service/src/lifecycle/index.ts'
import { backfillRunner } from '../../services/backfill-runner/src/service.ts'
import { eventsWriter } from '../../services/events-writer/src/service.ts'
import { merger } from '../../services/merger/src/service.ts'
import { otlpGateway } from '../../services/otlp-gateway/src/service.ts'
import { publicApi } from '../../services/public-api/src/service.ts'
import { stagingPropagator } from '../../services/staging-propagator/src/service.ts'

interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly build?: { readonly context: string; readonly target: string }
  readonly environment: Readonly<Record<string, string | number>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly stop_grace_period?: string
}

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const secrets: Readonly<Record<string, string>> = Object.fromEntries(
  [...read('.env.example').matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name]) => [name!, `0123456789abcdef-${name!.toLowerCase()}`]),
)
/** Replaces `${NAME:?message}` and `${NAME:-}` as Docker Compose does. Fails if .env.example does not contain the name. */
const filledIn = (text: string): string =>
  text.replaceAll(/\$\{([A-Z_0-9]+):(\?[^}]*|-)\}/g, (_, name: string, otherwise: string) => {
    if (secrets[name] === undefined) throw new Error(`.env.example does not name ${name}`)
    if (otherwise === '-') return '""'
    return secrets[name]
  })

const compose = parse(filledIn(read('docker-compose.yml')), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}
const dockerfile = read('Dockerfile')
const { services } = compose

const ours = [
  { name: 'api-1', definition: publicApi, ports: ['PORT', 'SVC_API_PROBE_PORT'], probe: 'SVC_API_PROBE_PORT' },
  {
    name: 'gateway-1',
    definition: otlpGateway,
    ports: ['SVC_OTLP_PORT', 'SVC_OTLP_GRPC_PORT', 'SVC_GATEWAY_PROBE_PORT'],
    probe: 'SVC_GATEWAY_PROBE_PORT',
  },
  {
    name: 'gateway-2',
    definition: otlpGateway,
    ports: ['SVC_OTLP_PORT', 'SVC_OTLP_GRPC_PORT', 'SVC_GATEWAY_PROBE_PORT'],
    probe: 'SVC_GATEWAY_PROBE_PORT',
  },
  { name: 'writer-1', definition: eventsWriter, ports: ['SVC_WORKER_PORT'], probe: 'SVC_WORKER_PORT' },
  { name: 'propagator-1', definition: stagingPropagator, ports: ['SVC_WORKER_PORT'], probe: 'SVC_WORKER_PORT' },
  { name: 'propagator-2', definition: stagingPropagator, ports: ['SVC_WORKER_PORT'], probe: 'SVC_WORKER_PORT' },
  { name: 'merger-1', definition: merger, ports: ['SVC_WORKER_PORT'], probe: 'SVC_WORKER_PORT' },
  { name: 'backfill-1', definition: backfillRunner, ports: ['SVC_BACKFILL_PROBE_PORT'], probe: 'SVC_BACKFILL_PROBE_PORT' },
  { name: 'writer-2', definition: eventsWriter, ports: ['SVC_WORKER_PORT'], probe: 'SVC_WORKER_PORT' },
] as const satisfies readonly (Readonly<Record<string, unknown>> & { readonly definition: ServiceDefinition })[]

const imageEnvironment = Object.fromEntries(
  [.../^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)![1]!.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
)
const environmentOf = (name: string): Readonly<Record<string, string>> => ({
  ...imageEnvironment,
  ...Object.fromEntries(Object.entries(services[name]!.environment).map(([key, value]) => [key, String(value)])),
})
const namesOf = (parts: readonly Settings[]) => parts.flatMap(part => Object.values(part).map(({ env }) => env))
function configOf({ name, definition }: { readonly name: string; readonly definition: ServiceDefinition }) {
  const parts = [...settingsOfService(definition), processSettings]
  const loaded = loadSettings(parts, environmentOf(name), { service: name, validate: definition.problems })
  const config = Object.fromEntries(parts.flatMap(part => Object.values(part).map(each => [each.env, loaded.of({ each }).each])))
  return { unknown: loaded.unknown, config }
}

describe.each(ours)('$name', service => {
  const { name, definition, ports, probe } = service
  const container = services[name]!

  test('knows every variable, and gets every required one', () => {
    const { unknown, config } = configOf(service)
    expect(unknown).toEqual([])
    expect(Object.keys(container.environment).filter(variable => !variablesOfService(definition).includes(variable))).toEqual([])
    // In a container, the loopback address cannot be reached from outside, so a service must bind to all addresses.
    expect(config['SVC_BIND']).toBe('0.0.0.0')
  })

  test('publishes the ports that it opens, on this machine only', () => {
    const config = configOf(service).config
    expect(container.ports!.map(published => Number(published.split(':')[2])).sort()).toEqual(
      ports.map(variable => config[variable]).sort(),
    )
    for (const published of container.ports!) expect(published).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
  })

  test('has a health check at the port where it responds', () => {
    const config = configOf(service).config
    expect(container.healthcheck!.test.join(' ')).toContain(`http://127.0.0.1:${config[probe]}/health/ready`)
  })

  test('runs an existing entry point, has time to drain, and waits for its stores', () => {
    expect(existsSync(join(root, container.command!.at(-1)!))).toBe(true)
    expect(dockerfile).toContain(` AS ${container.build!.target}\n`)
    expect(Number.parseInt(container.stop_grace_period!, 10) * 1000).toBeGreaterThan(Number(configOf(service).config['SVC_DRAIN_GRACE_MS']))
    const { SVC_KAFKA_BROKERS, DATABASE_URL, COLUMNSTORE_URL } = environmentOf(name)
    const hostOf = (url: string | undefined) => url && new URL(url).hostname
    const stores = [SVC_KAFKA_BROKERS!.split(':')[0], hostOf(DATABASE_URL), hostOf(COLUMNSTORE_URL)]
    expect(Object.keys(container.depends_on!).sort()).toEqual(stores.filter(store => store !== undefined).sort())
  })
})

test('the container of commands knows every variable', () => {
  const { unknown, redacted } = loadSettings(operatorSettings, environmentOf('svc'), { service: 'svc' })
  expect([unknown, redacted['SVC_LOG']]).toEqual([[], 'kafka'])
  expect(Object.keys(services['svc']!.environment).filter(variable => !namesOf(operatorSettings).includes(variable))).toEqual([])
})

test('a container that others wait for to be healthy has a health check', () => {
  for (const [name, { depends_on = {} }] of Object.entries(services)) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      expect([name, other, condition, services[other]?.healthcheck !== undefined]).toEqual([name, other, 'service_healthy', true])
    }
  }
})

test('no port of this machine is published twice, and every volume is declared', () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports.map(port => port.split(':')[1]))
  expect(published).toHaveLength(new Set(published).size)
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes.map(volume => volume.split(':')[0]!))
  const [files, used] = [mounted.filter(each => each.startsWith('./')), mounted.filter(each => !each.startsWith('./'))]
  expect(used.sort()).toEqual(Object.keys(compose.volumes).sort())
  // If a mounted file is missing, Docker does not fail, but creates an empty directory in place of the file.
  expect(files.filter(file => !existsSync(join(root, file)))).toEqual([])
})

test('Prometheus scrapes every process of ours at its metrics port, and nothing else', () => {
  const { scrape_configs } = parse(read('deploy/monitoring/prometheus.yaml')) as {
    readonly scrape_configs: readonly { readonly static_configs: readonly { readonly targets: readonly string[] }[] }[]
  }
  const targets = scrape_configs.flatMap(({ static_configs }) => static_configs.flatMap(each => each.targets))
  expect(targets.toSorted()).toEqual(ours.map(service => `${service.name}:${configOf(service).config[service.probe]}`).sort())
})

test('docker-compose.dev.yml has only the stores, at the addresses on this machine that the services use', () => {
  const dev = parse(filledIn(read('docker-compose.dev.yml'))) as {
    readonly services: Readonly<
      Record<string, Partial<ComposeService> & { readonly extends: { readonly file: string; readonly service: string } }>
    >
  }
  expect(Object.keys(dev.services).sort()).toEqual(['clickhouse', 'kafka', 'postgres'])
  for (const [name, { extends: from, ports = [] }] of Object.entries(dev.services)) {
    expect(from).toEqual({ file: 'docker-compose.yml', service: name })
    const published = [...(services[name]!.ports ?? []), ...ports]
    expect([name, published.length, published.every(port => /^127\.0\.0\.1:(\d+):\1$/.test(port))]).toEqual([name, 1, true])
  }
  expect(dev.services['kafka']!.environment!['KAFKA_ADVERTISED_LISTENERS']).toBe('PLAINTEXT://127.0.0.1:9092')
})

test('the stores match the addresses that the services use', () => {
  const writer = environmentOf('writer-1')
  const { kafka, clickhouse, postgres } = services
  expect(kafka!.environment['KAFKA_ADVERTISED_LISTENERS']).toBe(`PLAINTEXT://${writer['SVC_KAFKA_BROKERS']}`)
  const database = new URL(writer['DATABASE_URL']!)
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = postgres!.environment
  expect([database.username, database.password, database.pathname]).toEqual([POSTGRES_USER, POSTGRES_PASSWORD, `/${POSTGRES_DB}`])
  const { CLICKHOUSE_USER, CLICKHOUSE_PASSWORD, CLICKHOUSE_DB } = clickhouse!.environment
  expect([writer['COLUMNSTORE_USER'], writer['COLUMNSTORE_PASSWORD'], writer['COLUMNSTORE_DB']]).toEqual([
    CLICKHOUSE_USER,
    CLICKHOUSE_PASSWORD,
    CLICKHOUSE_DB,
  ])
})

test('versions are the recommended and tested ones', () => {
  expect(services['clickhouse']!.image).toBe('clickhouse/clickhouse-server:26.4')
  expect(services['postgres']!.image).toBe('postgres:16')
  const tested = /kafkaVersion = '([\d.]+)'/.exec(read('libs/dev-servers/src/kafka/distribution.ts'))![1]
  expect(services['kafka']!.image).toBe(`apache/kafka:${tested}`)
})

test('the image has the Node and the pnpm of the bootstrap, and does not run as root', () => {
  const node = /minimumNodeMajor = (\d+)/.exec(read('bootstrap/platform.mjs'))![1]
  expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${node}-slim\nFROM \${NODE_IMAGE} AS base\n`)
  const pnpm = /pnpm = \{\s+name: 'pnpm',\s+version: '([\d.]+)'/.exec(read('bootstrap/install.mjs'))![1]
  expect(dockerfile).toContain(`pnpm@${pnpm}`)
  for (const stage of dockerfile.split(/^FROM /m).filter(text => /^(CMD|ENTRYPOINT)/m.test(text)))
    expect(stage).toMatch(/^USER 1000:1000$/m)
  for (const [, copied] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
    for (const path of copied!.split(' '))
      expect([path, existsSync(join(root, path)), read('.dockerignore')]).toEqual([path, true, expect.stringContaining(`!${path}`)])
  }
})

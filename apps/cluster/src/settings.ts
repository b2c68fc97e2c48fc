// Settings of the cluster: its ports, its directory, and existing stores.
import { variablesOfService } from '@svc-server/service'
import { type Environment, type LoadedSettings, type Settings, setting, type ValuesOf } from '@svc-server/service/configuration'
import { type ProcessSettings, processSettings } from '@svc-server/service/lifecycle'
import { logLevels } from '@svc-server/service/logs'
import { type Store, storeSettings, storesOf } from '@svc-server/service/store'
import { columnStoreSettings, engineSettings, optionalColumnStoreUrl } from '@svc-server/stores/column-store-settings'
import { migrationSettings } from '@svc-server/stores/migration'
import { serverMigrations } from '@svc-server/stores/migrations-by-hand'
import { serverColumnStore, serverKeyStore, serverLog, serverRelational } from '@svc-server/stores/servers'
import { kinds } from './services.ts'

export const clusterSettings = {
  directory: setting.text({
    env: 'SVC_CLUSTER_DIR',
    default: '.svc-cluster',
    valid: 'a path',
    says: 'Directory for all data that must survive a restart.',
  }),
  kafkaBrokers: setting.list({
    env: 'SVC_KAFKA_BROKERS',
    optional: true,
    valid: 'host:port of some brokers, comma-separated',
    says: 'Existing Kafka brokers. If none are set, the cluster starts its own broker.',
  }),
  kafkaPort: setting.port({
    env: 'SVC_CLUSTER_KAFKA_PORT',
    default: 9092,
    says: 'Port of the broker that the cluster starts. The broker also uses the next two ports.',
  }),
  databaseUrl: setting.url({
    env: 'DATABASE_URL',
    optional: true,
    protocols: ['postgres', 'postgresql'],
    says: 'Existing PostgreSQL server. If none is set, the cluster starts its own server.',
  }),
  postgresPort: setting.port({ env: 'SVC_CLUSTER_POSTGRES_PORT', default: 5433, says: 'Port of the PostgreSQL that the cluster starts.' }),
  columnStoreUrl: optionalColumnStoreUrl,
  columnStoreUser: columnStoreSettings.user,
  columnStorePassword: setting.secret({
    env: 'COLUMNSTORE_PASSWORD',
    optional: true,
    valid: 'a password',
    says: 'Password of the column store. If none is set, the first start creates one.',
  }),
  columnStoreDatabase: columnStoreSettings.database,
  enginePort: engineSettings.port,
  engineMemoryLimit: engineSettings.memoryLimit,
  engineSilenceMs: engineSettings.silenceMs,
}

/** Two defaults differ from the defaults of a single service: a cluster logs less, and has more time to drain. */
export const clusterProcess: ProcessSettings & typeof processSettings = {
  ...processSettings,
  logLevel: setting.choice(logLevels, {
    env: processSettings.logLevel.env,
    default: 'warn',
    says: 'Lowest level that the cluster and its services log.',
  }),
  drainGraceMs: setting.durationMs({
    env: processSettings.drainGraceMs.env,
    default: '60s',
    min: 1000,
    max: 600_000,
    says: processSettings.drainGraceMs.says,
  }),
}

const kindSettings: Settings = Object.fromEntries(
  kinds.flatMap(({ name, count, ports }) => [
    [`${name} count`, count],
    ...ports.map(({ first, variable }) => [`${name} ${variable}`, first] as const),
  ]),
)

export const allSettings: readonly Settings[] = [kindSettings, clusterSettings]

export type ClusterConfig = ValuesOf<typeof clusterSettings> & ValuesOf<typeof clusterProcess>

export function clusterProblems(settings: LoadedSettings): readonly string[] {
  const { columnStoreUrl, columnStorePassword } = settings.of(clusterSettings)
  return columnStoreUrl !== undefined && columnStorePassword === undefined
    ? ['COLUMNSTORE_PASSWORD is not set, but the server of COLUMNSTORE_URL needs a password.']
    : []
}

const own = new Set([...allSettings, clusterProcess].flatMap(part => Object.values(part).map(({ env }) => env)))

/** Variables of the services that are not settings of the cluster. The cluster passes them on to the services. */
export const passedOnVariables: readonly string[] = [...new Set(kinds.flatMap(({ definition }) => variablesOfService(definition)))].filter(
  name => !own.has(name),
)

/**
 * Returns the variables of `passedOnVariables` that are set in the environment. Their values are not checked here, because each service
 * checks its own variables.
 */
export const passedOn = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(passedOnVariables.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])))

const storesOfCommands: readonly Store<unknown>[] = storesOf({
  serverLog,
  serverColumnStore,
  serverRelational,
  serverKeyStore,
  serverMigrations,
})

const read = new Set(
  [...storeSettings(storesOfCommands), { writeMode: migrationSettings.writeMode }].flatMap(part =>
    Object.values(part).map(({ env }) => env),
  ),
)

/** Returns those of the given variables that `svc` commands also read: the variables of the stores and the write mode. */
export const toldToCommands = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => read.has(name)))

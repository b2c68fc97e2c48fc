// `npm run cluster`: runs a production-like cluster on this machine: broker, databases, gateways, propagators and writers, each in its own
// process.
import { relative, resolve } from 'node:path'
import { type BannerFacts, banner } from '@svc-server/banner'
import { isAppError } from '@svc-server/errors'
import { runProcess } from '@svc-server/service/lifecycle'
import { type RunningCluster, startCluster } from './cluster.ts'
import { areFirstKeysRefused } from './first-keys.ts'
import { allSettings, clusterProblems, clusterProcess, clusterSettings, passedOnVariables } from './settings.ts'

const workspace = resolve(import.meta.dirname, '../../..')
/** Returns the path as an operator would type it: relative to the workspace, or unchanged if it is outside the workspace. */
const shown = (path: string) => (relative(workspace, path).startsWith('..') ? path : relative(workspace, path))
const say = (line: string) => void process.stdout.write(`  ${line}\n`)

function printBanner(
  { gateways, writers, propagators, mergers, apis, stores, ...cluster }: RunningCluster,
  keyPair: BannerFacts['keyPair'],
  hasDatabase: boolean,
  directory: string,
): void {
  const { columnStore } = stores
  process.stdout.write(
    banner({
      publicUrl: apis[0]!.url,
      otlpUrl: gateways[0]!.url,
      workerUrl: writers[0]!.probeUrl,
      columnStoreUrl: columnStore.url,
      columnStoreUser: columnStore.user,
      columnStorePassword: columnStore.password,
      columnStoreDatabase: columnStore.database,
      projectId: cluster.projectId,
      keyPair,
      dataDirectory: directory,
      further: [
        ['gateways', gateways.map(each => each.url).join('  ')],
        ['metrics', [...gateways, ...writers, ...propagators, ...mergers, ...apis].map(each => `${each.probeUrl}/metrics`).join('  ')],
        ['Kafka', stores.env['SVC_KAFKA_BROKERS'] ?? ''],
        ['PostgreSQL', !hasDatabase ? `127.0.0.1:${stores.postgres?.port}  user svc, database svc` : 'DATABASE_URL'],
      ],
      command: text => `(set -a; . ${shown(cluster.envFile)}; npm run svc -- ${text})`,
    }),
  )
}

await runProcess({
  service: 'cluster',
  summary:
    'npm run cluster: public API, gateways, writers, propagators, Kafka, PostgreSQL and the column store on this machine, each in a separate process.\n' +
    'You can also set the variables of the services: the cluster passes them to its services.',
  settings: allSettings,
  process: clusterProcess,
  validate: clusterProblems,
  env: process.env,
  alsoKnown: passedOnVariables,
  create({ settings, logger }) {
    const config = settings.of(clusterSettings)
    const directory = resolve(workspace, config.directory)
    let cluster: RunningCluster | undefined
    return {
      services: [
        {
          name: 'cluster',
          async start() {
            say(`Starting; data: ${directory}\n`)
            const said = new Set<string>()
            const onLine = (service: string, line: string) => {
              // Several services print the same line about a store during the start, so the cluster prints it once.
              const text = line.replace(/\d{2}:\d{2}:\d{2}\.\d{3}/, '')
              if (cluster === undefined && said.has(text)) return
              if (cluster === undefined) said.add(text)
              process.stdout.write(`${service.padEnd(9)} | ${line}\n`)
            }
            const options = { settings, directory, servicesEnv: process.env, logger, say, onLine, keepAlive: true }
            cluster = await startCluster(options).catch((error: unknown) => {
              if (!isAppError(error)) throw error
              logger.debug({ err: error }, 'The cluster did not start')
              process.stderr.write(`${error.message}\n`)
              return process.exit(1)
            })
            printBanner(cluster, (await areFirstKeysRefused(cluster)) ? null : cluster, config.databaseUrl !== undefined, directory)
          },
          async drain() {
            if (cluster === undefined) return
            say('Stopping: public API, gateways, propagators, writers, then the stores')
            await cluster.stop()
          },
        },
      ],
    }
  },
})

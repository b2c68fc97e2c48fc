// `npm start`: configuration, lock, app, signals.
import { isAppError } from '@svc-server/errors'
import { createLogger, envHelp, type Logger, loadConfig, runUntilSignal } from '@svc-server/telemetry'
import { createStandalone, type Standalone } from './app.ts'
import { banner } from './banner.ts'
import { type StandaloneEnvironment, standaloneEnvironment } from './config.ts'
import { dataDirectoryOf, lockDataDirectory } from './data-dir.ts'

const help = `npm start: the whole service on this machine, on embedded stores.

Set by environment variables (NAME=default):

${envHelp(standaloneEnvironment)}`

/** What an operator must correct is a sentence and exit code 1; anything else is a defect with a stack. */
function orRefuse<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isAppError(error)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

const loggerOf = ({ SVC_LOG_LEVEL: level, SVC_LOG_FORMAT: format }: StandaloneEnvironment): Logger =>
  createLogger({ service: 'standalone', level, pretty: format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true) })

function printBanner(app: Standalone, env: StandaloneEnvironment, dataDirectory: string): void {
  const host = env.SVC_BIND.includes(':') ? `[${env.SVC_BIND}]` : env.SVC_BIND === '0.0.0.0' ? '127.0.0.1' : env.SVC_BIND
  const ports = app.ports()
  process.stdout.write(
    banner({
      publicUrl: `http://${host}:${ports.public}`,
      otlpUrl: `http://${host}:${ports.otlp}`,
      workerUrl: `http://${host}:${ports.worker}`,
      columnStoreUrl: app.stores.columnStoreUrl,
      columnStoreUser: env.COLUMNSTORE_USER,
      columnStorePassword: app.stores.columnStorePassword,
      columnStoreDatabase: env.COLUMNSTORE_DB,
      projectId: app.projectId,
      publicKey: app.publicKey,
      secretKey: app.secretKey,
      dataDirectory,
    }),
  )
}

async function main(): Promise<void> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    process.stdout.write(`${help}\n`)
    return
  }
  const { config: env, warnings, redacted } = orRefuse(() => loadConfig(standaloneEnvironment, process.env, { service: 'standalone' }))
  const logger = loggerOf(env)
  for (const warning of warnings) logger.warn(warning)
  logger.info({ config: redacted }, 'Effective configuration')

  const dataDirectory = dataDirectoryOf(env)
  const directory = orRefuse(() => lockDataDirectory(dataDirectory))
  const onBug = (error: unknown) => {
    logger.fatal({ err: error }, 'A defect: the process ends; what was acknowledged is on the log')
    process.exit(1)
  }
  // Started by the bootstrap, which was killed: nobody could stop this process by Ctrl-C any more.
  process.once('disconnect', () => process.emit('SIGTERM', 'SIGTERM'))
  const app = orRefuse(() => createStandalone({ env, directory, logger, onBug }))
  const start = async () => {
    await app.start()
    printBanner(app, env, dataDirectory)
  }
  await runUntilSignal({ services: [{ name: 'standalone', start, drain: app.drain }], logger, graceMs: env.SVC_DRAIN_GRACE_MS })
}

await main()

// `npm start`: configuration, lock, app, signals.
import { runProcess } from '@svc-server/service/lifecycle'
import { createStandalone, type Standalone } from './app.ts'
import { banner } from './banner.ts'
import { type StandaloneEnvironment, standaloneEnvironment } from './config.ts'
import { dataDirectoryOf, lockDataDirectory } from './data-dir.ts'

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

await runProcess({
  service: 'standalone',
  summary: 'npm start: the whole service on this machine, on embedded stores.',
  schema: standaloneEnvironment,
  env: process.env,
  create({ env, logger, onBug, onBroken }) {
    const dataDirectory = dataDirectoryOf(env)
    const app = createStandalone({ env, directory: lockDataDirectory(dataDirectory), logger, onBug, onBroken })
    const start = async () => {
      await app.start()
      printBanner(app, env, dataDirectory)
    }
    return { services: [{ name: 'standalone', start, drain: app.drain }] }
  },
})

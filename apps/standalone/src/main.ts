// `npm start`: loads the configuration, takes the lock, runs the app and handles signals.
import { banner } from '@svc-server/banner'
import type { LoadedSettings } from '@svc-server/service/configuration'
import { runProcess } from '@svc-server/service/lifecycle'
import { type DataDirectory, dataDirectoryOf, lockDataDirectory } from '@svc-server/stores/data-directory'
import {
  dataDirectorySetting,
  embeddedColumnStoreSettings,
  firstKeysOf,
  madeFirstProjectSettings,
  profileOf,
} from '@svc-server/stores/embedded'
import { createStandalone, type Standalone } from './app.ts'
import { standaloneProblems, standaloneSettings } from './settings.ts'

/** Returns the banner's line about the memory limit. If the column store is on a server, the banner has no such line. */
const memoryOf = ({ url, memoryLimit }: { readonly url?: string | undefined; readonly memoryLimit: number }) =>
  url === undefined
    ? [['memory', `the column store takes up to ${(memoryLimit / 1024 ** 3).toFixed(1)} GiB (COLUMNSTORE_MEMORY_LIMIT)`] as const]
    : []

async function printBanner(app: Standalone, settings: LoadedSettings, directory: DataDirectory): Promise<void> {
  const addresses = app.addresses()
  const columnStore = settings.of(embeddedColumnStoreSettings)
  const { url, password } = app.columnStore()
  const firstProject = settings.of(madeFirstProjectSettings)
  const token = await app.signInToken()
  process.stdout.write(
    banner({
      publicUrl: addresses.public,
      ...(token !== undefined && { signInUrl: `${addresses.public}/setup?token=${token}` }),
      otlpUrl: addresses.otlp,
      further: [['OTLP/gRPC', addresses.grpc], ...memoryOf(columnStore)],
      workerUrl: addresses.worker,
      columnStoreUrl: url,
      columnStoreUser: columnStore.user,
      columnStorePassword: password,
      columnStoreDatabase: columnStore.database,
      projectId: firstProject.projectId,
      keyPair: app.hasFirstKeys() ? firstKeysOf(firstProject, directory) : null,
      dataDirectory: directory.path,
    }),
  )
}

await runProcess({
  service: 'standalone',
  summary: 'npm start: the whole service on this machine, on embedded stores.',
  settings: standaloneSettings,
  profile: profileOf(process.env),
  validate: standaloneProblems,
  env: process.env,
  create(context) {
    const { path } = context.settings.of({ path: dataDirectorySetting })
    const directory = lockDataDirectory(dataDirectoryOf(path))
    const app = createStandalone({ ...context, directory })
    const start = async () => {
      await app.start()
      await printBanner(app, context.settings, directory)
    }
    return { services: [{ name: 'standalone', start, drain: app.drain }] }
  },
})

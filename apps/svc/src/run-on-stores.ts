// Without Kafka, runs a command in the instance that holds the data directory. If there is no such instance, runs the command in this
// process under the directory's lock. With Kafka, runs the command in this process, which connects to the servers.
import { existsSync } from 'node:fs'
import { runCommand } from '@svc-server/commands/run'
import { socketPathOf } from '@svc-server/commands/socket/address'
import { type CommandOutput, sendCommand } from '@svc-server/commands/socket/send'
import { AppError, isAppError } from '@svc-server/errors'
import type { Environment, LoadedSettings } from '@svc-server/service/configuration'
import { createLogger } from '@svc-server/service/logs'
import { createStores, type Stores, type StoresOptions } from '@svc-server/service/store'
import { type DataDirectory, dataDirectoryOf, lockDataDirectory } from '@svc-server/stores/data-directory'
import {
  dataDirectorySetting,
  embeddedColumnStoreSettings,
  embeddedStoresOn,
  logKind,
  optionalDatabaseUrl,
} from '@svc-server/stores/embedded'
import { certificateFiles, loadOperatorSettings, operatorStores, servicesMode, windowTimes } from './settings.ts'

/** Throws `config_invalid`, `data_dir_locked`, or the error of a store that fails to open. */
export async function runOnStores(argv: readonly string[], env: Environment, output: CommandOutput): Promise<number> {
  const settings = loadOperatorSettings(env)
  const config = settings.of({ logKind, path: dataDirectorySetting })
  if (config.logKind === 'kafka') return await runOnServers(argv, env, output)
  const path = dataDirectoryOf(config.path)
  return (await sendCommand(socketPathOf(path), argv, output)) ?? (await runHere(argv, settings, path, output))
}

/** Throws if the data directory is missing. A missing directory is probably a mistake, because no command needs new, empty stores. */
function requireDirectory(settings: LoadedSettings, path: string): void {
  const { database, columnStore } = settings.of({ database: optionalDatabaseUrl, columnStore: embeddedColumnStoreSettings.url })
  // If a store is on a server, the directory can be missing: an operator can migrate a server's schema before the first start.
  const hasServers = database !== undefined || columnStore !== undefined
  if (hasServers || existsSync(path)) return
  throw new AppError('config_invalid', `Data directory ${path} (SVC_DATA_DIR) is missing. npm start creates it.`, { path })
}

/**
 * Locks the data directory. Before this call, no instance accepted the command through its socket. A process that holds the lock is
 * therefore probably starting or stopping.
 */
function lockedHere(path: string): DataDirectory {
  try {
    return lockDataDirectory(path)
  } catch (error) {
    if (!isAppError(error) || error.code !== 'data_dir_locked') throw error
    const text = `${path} is in use by an instance that is starting or stopping, which accepts no commands meanwhile, or by a different svc command. Try again in a moment.`
    throw new AppError('data_dir_locked', text, { path }, { cause: error })
  }
}

async function runHere(argv: readonly string[], settings: LoadedSettings, path: string, output: CommandOutput): Promise<number> {
  requireDirectory(settings, path)
  const directory = lockedHere(path)
  try {
    const stores = openable(settings, 'warn', embeddedStoresOn(directory))
    return await runWith({ argv, named: operatorStores, stores, settings, output, dataDirectory: path })
  } finally {
    directory.release()
  }
}

async function runOnServers(argv: readonly string[], env: Environment, output: CommandOutput): Promise<number> {
  const { loadServerSettings, serverStores } = await import('./servers.ts')
  const settings = loadServerSettings(env)
  return await runWith({ argv, named: serverStores, stores: openable(settings, 'error'), settings, output })
}

function openable(settings: LoadedSettings, level: 'warn' | 'error', replacements?: StoresOptions['replacements']): Stores {
  const logger = createLogger({ service: 'svc', level, pretty: process.stderr.isTTY === true, destination: process.stderr })
  return createStores({ settings, tools: { logger, process: 'svc' }, ...(replacements && { replacements }) })
}

interface Work {
  readonly argv: readonly string[]
  readonly named: typeof operatorStores
  readonly stores: Stores
  readonly settings: LoadedSettings
  readonly output: CommandOutput
  readonly dataDirectory?: string
}

async function runWith({ argv, named, stores, settings, output, dataDirectory }: Work): Promise<number> {
  const context = {
    ...settings.of(servicesMode),
    windowTimes: settings.of(windowTimes),
    certificate: settings.of(certificateFiles),
    keys: () => stores.open(named.keys),
    relational: () => stores.open(named.relational),
    log: () => stores.open(named.log),
    columnStore: () => stores.open(named.columnStore),
    migrations: () => stores.open(named.migrations),
    encryption: () => stores.open(named.encryption),
    ...(dataDirectory !== undefined && { dataDirectory }),
    servicesRunning: false,
    print: output.print,
  }
  try {
    return await runCommand(argv, context, output.printError)
  } finally {
    await stores.close()
  }
}

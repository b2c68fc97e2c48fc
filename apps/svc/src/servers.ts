// Connects to stores on servers.
import { type Environment, type LoadedSettings, loadSettings } from '@svc-server/service/configuration'
import { storeProblems, storeSettings, storesOf } from '@svc-server/service/store'
import { encryption } from '@svc-server/stores/encryption'
import { serverMigrations } from '@svc-server/stores/migrations-by-hand'
import { serverColumnStore, serverKeyStore, serverLog, serverRelational } from '@svc-server/stores/servers'
import { certificateFiles, servicesMode, windowTimes } from './settings.ts'

export const serverStores = {
  log: serverLog,
  columnStore: serverColumnStore,
  relational: serverRelational,
  encryption,
  keys: serverKeyStore,
  migrations: serverMigrations,
}

const stores = storesOf(serverStores)

/** Throws `config_invalid`. */
export const loadServerSettings = (env: Environment): LoadedSettings =>
  loadSettings([...storeSettings(stores), servicesMode, windowTimes, certificateFiles], env, {
    service: 'svc',
    validate: settings => storeProblems(stores, settings),
  })

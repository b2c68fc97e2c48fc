// Settings by which a command finds the stores. The settings have the same defaults as in the standalone.
import { type Environment, type LoadedSettings, loadSettings } from '@svc-server/service/configuration'
import { processSettings } from '@svc-server/service/lifecycle'
import { type Store, storeProblems, storeSettings, storesOf } from '@svc-server/service/store'
import { tlsSettings } from '@svc-server/service/tls'
import { embeddedColumnStore, embeddedEventLog, embeddedKeyStore, embeddedRelational } from '@svc-server/stores/embedded'
import { embeddedEncryption } from '@svc-server/stores/encryption'
import { migrationSettings } from '@svc-server/stores/migration'
import { embeddedMigrations } from '@svc-server/stores/migrations-by-hand'
import { windowTimes } from '@svc-server/stores/windows'

/** Definitions of the stores, with their settings. The variables are the same for an embedded store and for a store on a server. */
export const operatorStores = {
  log: embeddedEventLog,
  columnStore: embeddedColumnStore,
  keys: embeddedKeyStore,
  relational: embeddedRelational,
  encryption: embeddedEncryption,
  migrations: embeddedMigrations,
}

const stores: readonly Store<unknown>[] = storesOf(operatorStores)

/** The services' write mode. Log records of older releases contain no write mode, so commands assume this mode for these records. */
export const servicesMode = { writeMode: migrationSettings.writeMode }

/** The settings of the propagator's windows, which `svc where` needs. */
export { windowTimes }

/** `svc doctor` checks these settings when it runs with a service's variables. */
export const certificateFiles = { tlsCertFile: tlsSettings.tlsCertFile, tlsKeyFile: tlsSettings.tlsKeyFile }

export const operatorSettings = [...storeSettings(stores), processSettings, servicesMode, windowTimes, certificateFiles]

/** Throws `config_invalid`. */
export const loadOperatorSettings = (env: Environment): LoadedSettings =>
  loadSettings(operatorSettings, env, { service: 'svc', validate: settings => storeProblems(stores, settings) })

import { setting, type ValuesOf } from '@svc-server/service/configuration'

export const columnStoreSettings = {
  user: setting.text({ env: 'COLUMNSTORE_USER', valid: 'a user', default: 'svc', says: 'User of the column store.' }),
  database: setting.text({
    env: 'COLUMNSTORE_DB',
    valid: 'letters, digits and _',
    pattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    default: 'svc',
    says: 'Database of the column store.',
  }),
  requestTimeoutMs: setting.durationMs({
    env: 'COLUMNSTORE_REQUEST_TIMEOUT_MS',
    default: '30s',
    min: 1_000,
    max: 3_600_000,
    says: 'Maximum wait for a response of the column store. If an insert gets no response, the events-writer first checks which rows were stored, and then retries.',
  }),
  clustered: setting.flag({ env: 'COLUMNSTORE_CLUSTER_ENABLED', default: false, says: 'Create replicated tables, ON CLUSTER.' }),
  clusterName: setting.text({
    env: 'COLUMNSTORE_CLUSTER_NAME',
    valid: 'a cluster name or a macro',
    pattern: /^[A-Za-z0-9_{}.-]+$/,
    default: 'default',
    says: 'Name of the ClickHouse cluster on which the tables are created, if COLUMNSTORE_CLUSTER_ENABLED is true.',
  }),
  lightweightUpdates: setting.flag({
    env: 'COLUMNSTORE_USE_LIGHTWEIGHT_UPDATE',
    default: false,
    says: 'If true, the server changes bookmarks and public flags with lightweight updates. The column store’s user must then be allowed to set enable_lightweight_update. If false, the server uses mutations.',
  }),
}

export type ColumnStoreConfig = ValuesOf<typeof columnStoreSettings>

export const columnStoreUrl = setting.url({
  env: 'COLUMNSTORE_URL',
  says: 'HTTP URL of a ClickHouse server, version 25.12 or newer (26.4 recommended).',
})

export const columnStorePassword = setting.secret({
  env: 'COLUMNSTORE_PASSWORD',
  optional: true,
  valid: 'a password',
  says: 'Password of the column store’s user.',
})

/** The setting for processes that can embed the column store and therefore need no URL. */
export const optionalColumnStoreUrl = setting.url({
  env: 'COLUMNSTORE_URL',
  optional: true,
  says: 'URL of a ClickHouse server. If not set, the server uses the embedded engine.',
})

export const madeColumnStorePassword = setting.secret({
  env: 'COLUMNSTORE_PASSWORD',
  optional: true,
  valid: 'a password',
  says: 'Password of the column store’s user. If not set, the first start creates the password.',
})

const GiB = 1024 ** 3

export const engineSettings = {
  port: setting.port({ env: 'COLUMNSTORE_PORT', default: 8123, says: 'Port of the embedded engine.' }),
  memoryLimit: setting.bytes({
    env: 'COLUMNSTORE_MEMORY_LIMIT',
    // The default is higher if the log and the other stores are on servers, because an insert of the writer is then six times as large.
    default: { embedded: '2560MiB', remote: '5GiB' },
    min: 2 * GiB,
    max: 1024 * GiB,
    says: 'Maximum memory of the embedded engine’s process. Of this memory, 1 GiB is reserved for results and for memory that the allocator does not return; inserts, merges and queries use the rest. A query that gets no memory is retried.',
  }),
  silenceMs: setting.durationMs({
    env: 'COLUMNSTORE_SILENCE_MS',
    default: '20s',
    min: 2_000,
    max: 600_000,
    says: 'The embedded engine’s process is restarted after it has not responded for this long.',
  }),
}

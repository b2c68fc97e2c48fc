// The stores beside the log, from their variables.
import { type ColumnStore, createColumnStore } from '@svc-server/column-store'
import { createKeyStore, type KeyStore, openRelationalStore, type RelationalStore } from '@svc-server/relational'
import type { Logger } from '@svc-server/service/logs'
import type { ColumnStoreEnvironment, FirstProjectEnvironment, RelationalEnvironment } from './variables.ts'

/** Connects on first use. */
export const openColumnStore = (env: ColumnStoreEnvironment): ColumnStore =>
  createColumnStore({
    url: env.COLUMNSTORE_URL,
    user: env.COLUMNSTORE_USER,
    password: env.COLUMNSTORE_PASSWORD ?? '',
    database: env.COLUMNSTORE_DB,
    requestTimeoutMs: env.COLUMNSTORE_REQUEST_TIMEOUT_MS,
    replicated: env.COLUMNSTORE_CLUSTER_ENABLED,
  })

/** Connects and migrates, under the server's own lock. Throws `relational_unavailable` (may pass) or `migration_failed`. */
export const openRelational = ({ DATABASE_URL: url }: RelationalEnvironment, logger: Logger): Promise<RelationalStore> =>
  openRelationalStore({
    kind: 'postgres',
    url,
    onIdleError: error => logger.debug({ err: error }, 'An idle connection broke and is replaced'),
  })

/** The key store; makes the first project where its variables say so. */
export async function openKeys(store: RelationalStore, env: FirstProjectEnvironment & { readonly SALT: string }): Promise<KeyStore> {
  const keys = createKeyStore(store, { salt: env.SALT })
  const { SVC_INIT_PROJECT_PUBLIC_KEY: publicKey, SVC_INIT_PROJECT_SECRET_KEY: secretKey } = env
  if (publicKey !== undefined && secretKey !== undefined) {
    await keys.ensureProject({ orgId: env.SVC_INIT_ORG_ID, projectId: env.SVC_INIT_PROJECT_ID, publicKey, secretKey })
  }
  return keys
}

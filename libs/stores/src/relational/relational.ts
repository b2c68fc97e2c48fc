// The relational store on a PostgreSQL server.
import { openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import type { Logger } from '@svc-server/service/logs'
import { defineStore, type Store } from '@svc-server/service/store'
import { databaseUrl } from './settings.ts'

/**
 * Connects and migrates, under the server's own lock. Throws `relational_unavailable` (transient) or
 * `migration_failed`.
 */
export const openPostgres = (url: string, logger: Logger): Promise<RelationalStore> =>
  openRelationalStore({
    kind: 'postgres',
    url,
    onIdleError: error => logger.debug({ err: error }, 'An idle connection broke and is replaced'),
  })

export const relational: Store<RelationalStore> = defineStore({
  name: 'The relational store',
  variables: { url: databaseUrl },
  open: async ({ url }, _, { logger }) => {
    const store = await openPostgres(url, logger)
    return { store, close: () => store.close() }
  },
})

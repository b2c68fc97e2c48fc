import { type MigrationChoice, openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import type { Logger } from '@svc-server/service/logs'
import { defineStore, type Store } from '@svc-server/service/store'
import { choiceOf, postgresMigrationSettings } from '../schema-migrations.ts'
import { databaseUrl } from './settings.ts'

/**
 * Migrates the store under the server's lock, unless migration is disabled. Throws `relational_unavailable` (transient) or
 * `migration_failed`.
 */
export const openPostgres = (url: string, logger: Logger, migrations: MigrationChoice): Promise<RelationalStore> =>
  openRelationalStore({
    kind: 'postgres',
    url,
    migrations,
    onIdleError: error => logger.debug({ err: error }, 'An idle connection to the relational store broke and is replaced'),
  })

export const relational: Store<RelationalStore> = defineStore({
  name: 'The relational store',
  variables: { url: databaseUrl, ...postgresMigrationSettings },
  open: async ({ url, ...migrations }, _, { logger }) => {
    const store = await openPostgres(url, logger, choiceOf(migrations))
    return { store, close: () => store.close() }
  },
})

// The stores for `svc migrate`, opened without migrating them.
import type { ColumnStore } from '@svc-server/column-store/port'
import {
  type MigrationChoice,
  migrateRelational,
  openRelationalStore,
  type PostgresOptions,
  pendingRelational,
} from '@svc-server/relational/store'
import type { ValuesOf } from '@svc-server/service/configuration'
import { defineStore, type Store } from '@svc-server/service/store'
import { embeddedColumnStore } from './column-store/embedded.ts'
import { migrationLock } from './column-store/migrate-tables.ts'
import { columnStoreSettings } from './column-store/settings.ts'
import { optionalDatabaseUrl } from './relational/settings.ts'
import { columnStoreMigrationSettings, nativeProblems, postgresMigrationSettings } from './schema-migrations.ts'
import { required, serverColumnStore } from './servers.ts'

type Choice = Pick<MigrationChoice, 'giveUpUnfinished'>

export interface SchemaMigrations {
  readonly columnStore: ColumnStore
  readonly placement: { readonly database: string; readonly clustered: boolean; readonly clusterName: string }
  readonly relational: {
    /**
     * Returns the migrations that have not run yet. If something prevents the migrations, rejects with an error that names the obstacle.
     */
    pending(choice: Choice): Promise<readonly string[]>
    apply(choice: Choice): Promise<readonly string[]>
  }
  /** Runs the work. Until the work ends, no service can migrate the tables. The relational schema must already have its newest version. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

const variables = {
  clustered: columnStoreSettings.clustered,
  clusterName: columnStoreSettings.clusterName,
  databaseUrl: optionalDatabaseUrl,
  giveUpUnfinished: postgresMigrationSettings.giveUpUnfinished,
  nativeUrl: columnStoreMigrationSettings.nativeUrl,
  nativeTls: columnStoreMigrationSettings.nativeTls,
}

type Relational = Pick<SchemaMigrations, 'relational' | 'exclusive'>

/** Only this process uses the store, and opening the store migrates it. `svc migrate` therefore finds no pending migrations for it. */
const embeddedRelational: Relational = {
  relational: { pending: async () => [], apply: async () => [] },
  exclusive: work => work(),
}

function onServer(url: string, giveUpAnyway: boolean): Relational {
  const options: PostgresOptions = { kind: 'postgres', url }
  const choiceOf = ({ giveUpUnfinished = false }: Choice) => ({ giveUpUnfinished: giveUpUnfinished || giveUpAnyway })
  return {
    relational: {
      pending: choice => pendingRelational(options, choiceOf(choice)),
      apply: choice => migrateRelational(options, choiceOf(choice)),
    },
    async exclusive(work) {
      const store = await openRelationalStore({ ...options, migrations: { apply: false } })
      try {
        return await store.exclusive(migrationLock, work)
      } finally {
        await store.close()
      }
    },
  }
}

const migrationsOf = (
  columnStore: ColumnStore,
  { clustered, clusterName }: Pick<ValuesOf<typeof variables>, 'clustered' | 'clusterName'>,
  relational: Relational,
): SchemaMigrations => ({ columnStore, placement: { database: columnStore.database, clustered, clusterName }, ...relational })

export const embeddedMigrations: Store<SchemaMigrations> = defineStore({
  name: 'The column store',
  needs: { columnStore: embeddedColumnStore },
  variables,
  validate: nativeProblems,
  open: async (config, { columnStore }) => {
    const { databaseUrl, giveUpUnfinished } = config
    const relational = databaseUrl === undefined ? embeddedRelational : onServer(databaseUrl, giveUpUnfinished)
    return { store: migrationsOf(columnStore, config, relational) }
  },
})

export const serverMigrations: Store<SchemaMigrations> = defineStore({
  name: 'The column store',
  needs: { columnStore: serverColumnStore },
  variables,
  validate: nativeProblems,
  open: async (config, { columnStore }) => ({
    store: migrationsOf(columnStore, config, onServer(required(config.databaseUrl, optionalDatabaseUrl.env), config.giveUpUnfinished)),
  }),
})

// Settings for migrating a store's schema at startup. Variables of v3 that no longer have an effect are refused.
import { setting, type ValuesOf } from '@svc-server/service/configuration'

export const postgresMigrationSettings = {
  migrationDisabled: setting.flag({
    env: 'SVC_AUTO_POSTGRES_MIGRATION_DISABLED',
    default: false,
    says: 'If true, the process does not migrate the schema at start. With an outdated schema, the process stops at start and prints the command to run, `svc migrate up`.',
  }),
  giveUpUnfinished: setting.flag({
    env: 'SVC_MIGRATION_V4_GIVE_UP_BACKGROUND_MIGRATIONS',
    default: false,
    says: 'If true, an upgrade from v3 continues even if background migrations of v3 are unfinished. Data that unfinished migrations have not copied is lost.',
  }),
}

export const choiceOf = ({ migrationDisabled, giveUpUnfinished }: ValuesOf<typeof postgresMigrationSettings>) => ({
  apply: !migrationDisabled,
  giveUpUnfinished,
})

export const columnStoreMigrationSettings = {
  migrationDisabled: setting.flag({
    env: 'SVC_AUTO_COLUMNSTORE_MIGRATION_DISABLED',
    default: false,
    says: 'If true, the process does not migrate the tables at start. With outdated tables, the process stops at start and prints the command to run, `svc migrate up`.',
  }),
  nativeUrl: setting.text({
    env: 'COLUMNSTORE_MIGRATION_URL',
    optional: true,
    valid: 'nothing',
    says: 'A variable of v3. While this variable is set, no process starts. Remove the variable: migrations now run over HTTP, at COLUMNSTORE_URL.',
  }),
  nativeTls: setting.flag({
    env: 'COLUMNSTORE_MIGRATION_SSL',
    default: false,
    says: 'A variable of v3. While this variable is true, no process starts. Use https:// in COLUMNSTORE_URL instead.',
  }),
}

/** Returns the HTTP URL of the server that v3 reached by the native protocol. */
const httpOf = (native: string): string => {
  const match = /^(?:\w+:\/\/)?(?:[^@/]*@)?([^:/?]+)(?::(\d+))?/.exec(native.trim())
  const secure = match?.[2] === '9440' || /[?&]secure=true/.test(native)
  return `${secure ? 'https' : 'http'}://${match?.[1] ?? 'host'}:${secure ? 8443 : 8123}`
}

/** Reports variables of v3 that are no longer supported. */
export function nativeProblems({
  nativeUrl,
  nativeTls,
}: Omit<ValuesOf<typeof columnStoreMigrationSettings>, 'migrationDisabled'>): readonly string[] {
  const problems: string[] = []
  if (nativeUrl !== undefined) {
    problems.push(
      `COLUMNSTORE_MIGRATION_URL names the native protocol, which is not supported: remove the variable. Migrations run over HTTP, at COLUMNSTORE_URL, for example ${httpOf(nativeUrl)}.`,
    )
  }
  if (nativeTls) problems.push('COLUMNSTORE_MIGRATION_SSL is no longer used: remove the variable, and begin COLUMNSTORE_URL with https://.')
  return problems
}

// Why migrations stopped. Its own class, because this package imports no error catalogue; callers turn it into `migration_failed`.

/**
 * newer_schema: a newer release migrated this database. changed_migration: an applied migration has other text now. foreign_table: another
 * program's schema_migrations. unknown_target: no such version. statement_failed: the column store refused; the cause has its answer.
 */
export type MigrationFailure = 'newer_schema' | 'changed_migration' | 'foreign_table' | 'unknown_target' | 'statement_failed'

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly reason: MigrationFailure

  constructor(reason: MigrationFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

// Why migrations stopped. Its own class, because this package imports no error catalogue; callers turn it
// into `migration_failed`.

export type MigrationFailure =
  /** A newer release migrated this database. */
  | 'newer_schema'
  /** v3 left it below its last version. */
  | 'older_schema'
  /** Another tool was interrupted in the middle of a migration. */
  | 'dirty_schema'
  /** An applied migration has other text now. */
  | 'changed_migration'
  /** `schema_migrations` is of a tool that we do not know. */
  | 'foreign_table'
  /** A table that is there already has another key or other columns. */
  | 'other_shape'
  /** The user lacks grants; the message has the statements that give them. */
  | 'missing_grants'
  /** No such version. */
  | 'unknown_target'
  /** The column store refused; the cause has its answer. */
  | 'statement_failed'

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly reason: MigrationFailure

  constructor(reason: MigrationFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

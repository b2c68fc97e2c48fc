// The error of a migration, with its reason. A separate class, because this package imports no error catalog. Callers convert it to
// `migration_failed`.

export type MigrationFailure =
  /** A newer release has migrated this database. */
  | 'newer_schema'
  /** The database is older than v3's last version. */
  | 'older_schema'
  /** Another tool was interrupted during a migration. */
  | 'dirty_schema'
  /** The text of an applied migration has changed. */
  | 'changed_migration'
  /** `schema_migrations` belongs to an unknown tool. */
  | 'foreign_table'
  /** An existing table has a different key or different columns than the migrations would create. */
  | 'other_shape'
  /** The user lacks grants. The message contains the statements that give the grants. */
  | 'missing_grants'
  /** The version does not exist. */
  | 'unknown_target'
  /** The column store refused a statement. The cause contains its response. */
  | 'statement_failed'

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly reason: MigrationFailure

  constructor(reason: MigrationFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

// The reasons why migrations stop. The error is a separate class because this package imports no error catalog. Callers turn it into
// `migration_failed`.

export type MigrationFailure =
  /** A newer release has migrated this database. */
  | 'newer_schema'
  /** v3 left the database below v3's last version. */
  | 'older_schema'
  /** A different tool was interrupted in the middle of a migration. */
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

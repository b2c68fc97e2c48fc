// The error of a migration, which callers convert to `migration_failed`. It is not an AppError, because this package does not import the
// error catalog.

export type MigrationFailure =
  /** A newer release has migrated this database. */
  | 'newer_schema'
  /** The database is older than v3's last version. */
  | 'older_schema'
  /** Another tool's migration was interrupted. */
  | 'dirty_schema'
  /** The text of an applied migration has changed. */
  | 'changed_migration'
  /** `schema_migrations` belongs to an unknown tool. */
  | 'foreign_table'
  /** An existing table has a different key or different columns. */
  | 'other_shape'
  /** The message contains the statements that give the grants. */
  | 'missing_grants'
  | 'unknown_target'
  /** The cause contains the column store's response. */
  | 'statement_failed'

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly reason: MigrationFailure

  constructor(reason: MigrationFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

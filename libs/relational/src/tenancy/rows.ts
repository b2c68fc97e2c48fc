// Reads and writes rows of one tenant. All handles use this module.
import { AppError } from '@svc-server/errors'
import type {
  DeleteQueryBuilder,
  DeleteResult,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  Selectable,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely'
import type { Database } from '../store/database.ts'
import type { AuditEntry, Author } from './audit.ts'
import { canBeId } from './ids.ts'
import { type ChildTable, parents } from './tables.ts'

export type RowOf<T extends keyof Database> = Selectable<Database[T]>

/** The audit log can be read like any table, but only `write` writes to it. */
type WrittenTable<DB> = Exclude<keyof DB & string, 'audit_logs'>
type InsertedRow<DB, T extends keyof DB> = Insertable<DB[T]>

type WithId<DB> = { [T in keyof DB]: DB[T] extends { readonly id: unknown } ? T : never }[keyof DB] & string

// biome-ignore lint/complexity/noBannedTypes: the type that Kysely gives a query without selected columns.
export type NothingYet = {}

interface Reads<DB> {
  /** The query sees only rows of the tenant, even in joined tables. */
  select<T extends keyof DB & string>(table: T): SelectQueryBuilder<DB, T, NothingYet>
  /** Returns undefined if the id is unknown, invalid, or belongs to a different tenant. */
  find<T extends WithId<DB>>(table: T, id: string): Promise<Selectable<DB[T]> | undefined>
}

export interface Rows<DB> extends Reads<DB> {
  /** The handle sets the column that names the tenant. */
  insert<T extends Exclude<WrittenTable<DB>, ChildTable>>(
    table: T,
    rows: InsertedRow<DB, T> | readonly InsertedRow<DB, T>[],
  ): InsertQueryBuilder<DB, T, InsertResult>
  /**
   * Inserts rows under a parent, which must belong to the tenant. The parent cannot be deleted until the transaction ends. Throws
   * `reference_missing` if the parent does not exist or belongs to another tenant.
   */
  insertUnder<T extends ChildTable & keyof DB>(table: T, parentId: string, rows: readonly InsertedRow<DB, T>[]): Promise<void>
  update<T extends WrittenTable<DB>>(table: T): UpdateQueryBuilder<DB, T, T, UpdateResult>
  delete<T extends WrittenTable<DB>>(table: T): DeleteQueryBuilder<DB, T, DeleteResult>
}

/** `audit` is empty if the change modified no row. */
export interface Written<T, Entry = AuditEntry> {
  readonly value: T
  readonly audit: readonly Entry[]
}

export interface Changes<DB, Entry = AuditEntry, Writing = Rows<DB>> extends Reads<DB> {
  /** Runs a change in one transaction with its audit entries. */
  write<T>(by: Author, work: (rows: Writing) => Promise<Written<T, Entry>>): Promise<T>
  /** Runs a change without audit entries, for changes that the server itself makes, such as renewing a lease. */
  unaudited<T>(work: (rows: Writing) => Promise<T>): Promise<T>
}

const missing = (table: string) => new AppError('reference_missing', `The row of ${table} does not exist.`, { table })

type AnyDatabase = Record<string, Record<string, string>>

/** `owner` returns the values of the tenant columns for inserted rows. */
export function rowsOf<DB>(db: Kysely<Database>, owner: (table: string) => Readonly<Record<string, string>>): Rows<DB> {
  const any = db as unknown as Kysely<AnyDatabase>
  const select = (table: string) => any.selectFrom(table)
  const rows = {
    select,
    async find(table: string, id: string) {
      return canBeId(id) ? select(table).selectAll().where('id', '=', id).executeTakeFirst() : undefined
    },
    insert(table: string, given: object | readonly object[]) {
      const list = Array.isArray(given) ? given : [given]
      return any.insertInto(table).values(list.map((row: object) => ({ ...row, ...owner(table) })))
    },
    async insertUnder(table: ChildTable, parentId: string, given: readonly object[]) {
      const { parent, column } = parents[table]
      await select(parent)
        .select('id')
        .where('id', '=', parentId)
        .forKeyShare()
        .executeTakeFirstOrThrow(() => missing(parent))
      if (given.length > 0)
        await any
          .insertInto(table)
          .values(given.map(row => ({ ...row, [column]: parentId })))
          .execute()
    },
    update: (table: string) => any.updateTable(table),
    delete: (table: string) => any.deleteFrom(table),
  }
  return rows as unknown as Rows<DB>
}

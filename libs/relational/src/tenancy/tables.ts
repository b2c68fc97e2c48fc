// Defines which tables each handle can access. The compiler rejects all other tables. Queries need the names of the tenant columns at run
// time, so this module lists the names also as values.
import type { ColumnType, SelectType } from 'kysely'
import type { Database } from '../store/database.ts'

type TablesWith<Column extends string> = { [T in keyof Database]: Column extends keyof Database[T] ? T : never }[keyof Database]

/** The handle sets the tenant's column on insert, and the column never changes. */
type Owned<Row, Column extends keyof Row> = {
  readonly [C in keyof Row]: C extends Column ? ColumnType<NonNullable<SelectType<Row[C]>>, never, never> : Row[C]
}

/** Tables without a tenant column of their own: each row belongs to a row of another table (`parent`), and that row names the tenant. */
export const parents = {
  evaluator_versions: { parent: 'evaluators', column: 'evaluator_id' },
  pricing_tiers: { parent: 'models', column: 'model_id' },
} as const satisfies { readonly [T in keyof Database]?: { readonly parent: TablesWith<'project_id'>; readonly column: keyof Database[T] } }

type Parents = typeof parents
export type ChildTable = keyof Parents

type Children = { readonly [T in ChildTable]: Owned<Database[T], Parents[T]['column'] & keyof Database[T]> }

/** The project's own row, rows with the project's id, and the child rows of these rows. */
export type ProjectDatabase = { readonly [T in TablesWith<'project_id'>]: Owned<Database[T], 'project_id'> } & Children & {
    readonly projects: Owned<Database['projects'], 'id'>
  }

/** The organization's own row, and all rows with the organization's id. The API keys of the organization's projects are not included. */
export type OrganizationDatabase = { readonly [T in TablesWith<'org_id'>]: Owned<Database[T], 'org_id'> } & {
  readonly organizations: Owned<Database['organizations'], 'id'>
  readonly api_keys: Owned<Database['api_keys'], 'organization_id'>
}

/** Tables in which a row can have no project. A row without a project applies to every project. */
export type SharedTable = {
  [T in TablesWith<'project_id'>]: null extends SelectType<Database[T]['project_id']> ? T : never
}[TablesWith<'project_id'>]

const projectColumns: Readonly<Record<string, string>> = { projects: 'id' }
export const projectColumn = (table: string) =>
  Object.hasOwn(parents, table) ? parents[table as ChildTable] : (projectColumns[table] ?? 'project_id')

const organizationColumns: Readonly<Record<string, string>> = { organizations: 'id', api_keys: 'organization_id' }
export const organizationColumn = (table: string) => organizationColumns[table] ?? 'org_id'

// The three handles through which repositories access the store. The code that creates the handle decides which tenant's rows the
// repository reads and writes.
import { AppError } from '@svc-server/errors'
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../store/database.ts'
import { type AuditEntry, type AuditedTenant, type Author, auditRow } from './audit.ts'
import { type Changes, type NothingYet, type Rows, rowsOf, type Written } from './rows.ts'
import { type Scope, scopePlugin } from './scope-plugin.ts'
import {
  type ChildTable,
  type OrganizationDatabase,
  organizationColumn,
  type ProjectDatabase,
  projectColumn,
  type SharedTable,
} from './tables.ts'
import { inTurn } from './turns.ts'

export interface Store {
  readonly db: Kysely<Database>
}

export interface InProject extends Changes<ProjectDatabase> {
  readonly projectId: string
  /**
   * Like `write`, but the changes of a project run one after the other, across all processes. Use `writeInTurn` if `work` must enforce a
   * rule that no database constraint enforces. If `thing` is given, a change waits only for changes with the same `thing`, for example
   * `evaluator <id>`. Throws `overloaded` if too many changes are waiting, and `reference_missing` if the project does not exist.
   */
  writeInTurn<T>(by: Author, work: (rows: Rows<ProjectDatabase>) => Promise<Written<T>>, thing?: string): Promise<T>
  /** Selects the project's rows and the rows that apply to every project. */
  selectShared<T extends SharedTable>(table: T): SelectQueryBuilder<Pick<Database, SharedTable | ChildTable>, T, NothingYet>
}

interface OrganizationAuditEntry extends AuditEntry {
  readonly projectId?: string
}

export interface InOrganization extends Changes<OrganizationDatabase, OrganizationAuditEntry> {
  readonly orgId: string
  /**
   * Runs `work`, a change of the organization, after all earlier changes of the organization in this process have ended. Used for changes
   * that lock the organization's row. A waiting change occupies no connection. Throws `overloaded` if too many changes are waiting.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

export type ProjectRows = Rows<ProjectDatabase>
export interface InstanceRows extends Rows<Database> {
  /** Runs a statement that the builder cannot express. */
  run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]>
}

/** Accesses all rows of all tenants. For example, the server needs this access for API keys, for the catalog, and for its own tasks. */
export interface Instance extends Changes<Database, AuditEntry & AuditedTenant, InstanceRows> {
  /** Runs a statement that the builder cannot express. */
  run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]>
  /** Like `inTurn` of the organization's handle. */
  inTurn<T>(orgId: string, work: () => Promise<T>): Promise<T>
}

interface Tenant<Entry, Writing> {
  rows(db: Kysely<Database>): Writing
  tenants(db: Kysely<Database>, entries: readonly Entry[]): Promise<readonly AuditedTenant[]>
}

function changesOf<Entry extends AuditEntry, Writing>(db: Kysely<Database>, { rows, tenants }: Tenant<Entry, Writing>) {
  return {
    unaudited: <T>(work: (of: Writing) => Promise<T>) => db.transaction().execute(trx => work(rows(trx))),
    write: <T>(by: Author, work: (of: Writing) => Promise<Written<T, Entry>>) =>
      db.transaction().execute(async trx => {
        const { value, audit } = await work(rows(trx))
        if (audit.length > 0) {
          const of = await tenants(trx, audit)
          const entries = audit.map((entry, at) => auditRow(by, of[at]!, entry))
          await trx.insertInto('audit_logs').values(entries).execute()
        }
        return value
      }),
  }
}

const missingProject = (id: string) => new AppError('reference_missing', `There is no project ${id}.`, { table: 'projects' })

export function inProject({ db }: Store, projectId: string): InProject {
  const scope: Scope = { id: projectId, column: projectColumn }
  const rows = (of: Kysely<Database>) =>
    rowsOf<ProjectDatabase>(of.withPlugin(scopePlugin(scope)), table => ({ [projectColumn(table) as string]: projectId }))
  async function tenants(trx: Kysely<Database>, entries: readonly AuditEntry[]) {
    const project = await trx.selectFrom('projects').select('org_id').where('id', '=', projectId).executeTakeFirst()
    if (project === undefined) throw missingProject(projectId)
    return entries.map(() => ({ orgId: project.org_id, projectId }))
  }
  const { write, unaudited } = changesOf(db, { rows, tenants })
  return {
    ...{ projectId, write, unaudited },
    writeInTurn: (by, work, thing) =>
      inTurn(db, thing === undefined ? projectId : `${projectId}/${thing}`, () =>
        write(by, async of => {
          const project = of.select('projects').select('id')
          // PostgreSQL rejects NUL, which a client can put into a name.
          const ofThing = sql`pg_advisory_xact_lock(hashtextextended(${`${projectId}/${thing?.replaceAll('\0', '%00')}`}, 1))`
          // This lock on the project's row does not block inserts of rows that refer to the project.
          const locking = thing === undefined ? project.forNoKeyUpdate() : project.select(ofThing.as('locked'))
          const row = await locking.executeTakeFirst()
          if (row === undefined) throw missingProject(projectId)
          return work(of)
        }),
      ),
    select: table => rows(db).select(table),
    find: (table, id) => rows(db).find(table, id),
    selectShared: table => db.withPlugin(scopePlugin({ ...scope, withShared: true })).selectFrom(table as SharedTable) as never,
  }
}

/**
 * Returns the key for the turns of an organization. The keys for the turns of a project begin with the project's id, which never contains a
 * space. Because of the space after `organization`, the two kinds of keys cannot be equal.
 */
const turnOf = (orgId: string) => `organization ${orgId}`

export function inOrganization({ db }: Store, orgId: string): InOrganization {
  const plugin = scopePlugin({ id: orgId, column: organizationColumn })
  const rows = (of: Kysely<Database>) =>
    rowsOf<OrganizationDatabase>(of.withPlugin(plugin), table => ({ [organizationColumn(table)]: orgId }))
  const tenants = async (_: unknown, entries: readonly OrganizationAuditEntry[]) =>
    entries.map(({ projectId = null }) => ({ orgId, projectId }))
  return {
    orgId,
    ...changesOf(db, { rows, tenants }),
    inTurn: work => inTurn(db, turnOf(orgId), work),
    select: table => rows(db).select(table),
    find: (table, id) => rows(db).find(table, id),
  }
}

export function instance({ db }: Store): Instance {
  const runOn =
    (of: Kysely<Database>) =>
    async <Row>(statement: RawBuilder<Row>) =>
      (await statement.execute(of)).rows
  const rows = (of: Kysely<Database>): InstanceRows => ({ ...rowsOf<Database>(of, () => ({})), run: runOn(of) })
  const tenants = async (_: unknown, entries: readonly (AuditEntry & AuditedTenant)[]) => entries
  const { select, find, run } = rows(db)
  return { select, find, run, inTurn: (orgId, work) => inTurn(db, turnOf(orgId), work), ...changesOf(db, { rows, tenants }) }
}

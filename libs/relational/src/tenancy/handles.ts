// The three handles by which repositories reach the store. A repository takes one of them as its first argument; whose rows it
// reads and writes is decided where the handle is made.
import { AppError } from '@svc-server/errors'
import type { Kysely, RawBuilder, SelectQueryBuilder } from 'kysely'
import type { Database } from '../store/database.ts'
import { type AuditEntry, type AuditedTenant, type Author, auditRow } from './audit.ts'
import { type Changes, type NothingYet, type Rows, rowsOf, type Written } from './rows.ts'
import { type Scope, scopePlugin } from './scope-plugin.ts'
import { type OrganizationDatabase, organizationColumn, type ProjectDatabase, projectColumn, type SharedTable } from './tables.ts'

export interface Store {
  readonly db: Kysely<Database>
}

export interface InProject extends Changes<ProjectDatabase> {
  readonly projectId: string
  /** Rows of the project and those that are for every project. */
  selectShared<T extends SharedTable>(table: T): SelectQueryBuilder<Pick<Database, SharedTable>, T, NothingYet>
}

/** An entry of the organization's own, or of one of its projects. */
interface OrganizationAuditEntry extends AuditEntry {
  readonly projectId?: string
}

export interface InOrganization extends Changes<OrganizationDatabase, OrganizationAuditEntry> {
  readonly orgId: string
}

/** Every row, whoever's it is: for what crosses projects, such as keys, the catalogue and the work of the server itself. */
export interface Instance extends Changes<Database, AuditEntry & AuditedTenant> {
  /** A statement that the builder cannot say. */
  run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]>
}

interface Tenant<Entry> {
  readonly scope?: Scope
  owner(table: string): Readonly<Record<string, string>>
  /** The tenant of each entry, as the log has it. */
  tenants(db: Kysely<Database>, entries: readonly Entry[]): Promise<readonly AuditedTenant[]>
}

function changesOf<DB, Entry extends AuditEntry>(db: Kysely<Database>, { scope, owner, tenants }: Tenant<Entry>): Changes<DB, Entry> {
  const confined = (of: Kysely<Database>) => rowsOf<DB>(scope === undefined ? of : of.withPlugin(scopePlugin(scope)), owner)
  const { select, find } = confined(db)
  return {
    select,
    find,
    unaudited: work => db.transaction().execute(trx => work(confined(trx))),
    write: <T>(by: Author, work: (rows: Rows<DB>) => Promise<Written<T, Entry>>) =>
      db.transaction().execute(async trx => {
        const { value, audit } = await work(confined(trx))
        if (audit.length > 0) {
          const of = await tenants(trx, audit)
          await trx
            .insertInto('audit_logs')
            .values(audit.map((entry, at) => auditRow(by, of[at]!, entry)))
            .execute()
        }
        return value
      }),
  }
}

export function inProject({ db }: Store, projectId: string): InProject {
  const owner = (table: string) => ({ [projectColumn(table) as string]: projectId })
  async function tenants(trx: Kysely<Database>, entries: readonly AuditEntry[]) {
    const project = await trx.selectFrom('projects').select('org_id').where('id', '=', projectId).executeTakeFirst()
    if (project === undefined) throw new AppError('reference_missing', `There is no project ${projectId}.`, { table: 'projects' })
    return entries.map(() => ({ orgId: project.org_id, projectId }))
  }
  const scope: Scope = { id: projectId, column: projectColumn }
  return {
    projectId,
    ...changesOf<ProjectDatabase, AuditEntry>(db, { scope, owner, tenants }),
    selectShared: table => db.withPlugin(scopePlugin({ ...scope, withShared: true })).selectFrom(table as SharedTable) as never,
  }
}

export function inOrganization({ db }: Store, orgId: string): InOrganization {
  const owner = (table: string) => ({ [organizationColumn(table)]: orgId })
  const tenants = async (_: unknown, entries: readonly OrganizationAuditEntry[]) =>
    entries.map(({ projectId = null }) => ({ orgId, projectId }))
  return {
    orgId,
    ...changesOf<OrganizationDatabase, OrganizationAuditEntry>(db, { scope: { id: orgId, column: organizationColumn }, owner, tenants }),
  }
}

export function instance({ db }: Store): Instance {
  return {
    ...changesOf<Database, AuditEntry & AuditedTenant>(db, { owner: () => ({}), tenants: async (_, entries) => entries }),
    run: async statement => (await statement.execute(db)).rows,
  }
}

// Organizations: created by operators and by the first start.
import type { Author } from '../tenancy/audit.ts'
import type { Instance, InstanceRows } from '../tenancy/handles.ts'
import { timesAt } from '../tenancy/times.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
}

const insert = (rows: InstanceRows, by: Author, organization: Pick<Organization, 'id' | 'name'>) =>
  rows.insert('organizations', { ...organization, ...timesAt(by.at) })

const entryOf = ({ id, name }: Pick<Organization, 'id' | 'name'>) =>
  ({ orgId: id, projectId: null, resourceType: 'organization', resourceId: id, action: 'create', after: { name } }) as const

/** Throws `conflict` when the id is taken. */
export const createOrganization = (all: Instance, by: Author, organization: Pick<Organization, 'id' | 'name'>): Promise<Organization> =>
  all.write(by, async rows => {
    const row = await insert(rows, by, organization).returningAll().executeTakeFirstOrThrow()
    return { value: { id: row.id, name: row.name, createdAt: row.created_at }, audit: [entryOf(organization)] }
  })

/** Creates it unless it is there, whatever its name is. */
export const ensureOrganization = (all: Instance, by: Author, organization: Pick<Organization, 'id' | 'name'>): Promise<void> =>
  all.write(by, async rows => {
    const query = insert(rows, by, organization).onConflict(conflict => conflict.column('id').doNothing())
    const made = await query.returning('id').executeTakeFirst()
    return { value: undefined, audit: made === undefined ? [] : [entryOf(organization)] }
  })

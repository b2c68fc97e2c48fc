import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  organization_memberships: columns({
    id: 'text',
    org_id: 'text',
    user_id: 'text',
    /** In v3, the column is an enum of OWNER, ADMIN, MEMBER, VIEWER, and NONE. */
    role: 'text',
    created_at: 'time=',
    updated_at: 'time=',
  }),
  project_memberships: columns({
    project_id: 'text',
    user_id: 'text',
    created_at: 'time=',
    updated_at: 'time=',
    org_membership_id: 'text',
    /** Role in the project, which replaces the role in the organization. */
    role: 'text',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}

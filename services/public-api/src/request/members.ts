// Who belongs to a project.
import type { InProject } from '@svc-server/relational/tenancy'

/** This release has no users yet: an installation's own database knows none, so nobody is a member of a project. */
export const isMember = async (_project: InProject, _userId: string): Promise<boolean> => false

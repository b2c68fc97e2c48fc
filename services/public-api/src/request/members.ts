// Members of a project.
import { accessToProject } from '@svc-server/relational/access'
import { canBeId } from '@svc-server/relational/ids'
import { instance } from '@svc-server/relational/tenancy'
import type { Dependencies } from './dependencies.ts'

export const isMember = async ({ relational }: Pick<Dependencies, 'relational'>, projectId: string, userId: string): Promise<boolean> =>
  canBeId(userId) && (await accessToProject(instance(relational), userId, projectId)) !== undefined

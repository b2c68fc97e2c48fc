import { instance } from '@svc-server/relational/tenancy'
import { namesOfUsers } from '@svc-server/relational/users'
import type { Dependencies } from '../../request/dependencies.ts'

/**
 * Returns the id and name of the person who created an object. For an object that was created with an API key, `userId` and the result are
 * null.
 */
export type CreatorOf = (userId: string | null) => { readonly id: string; readonly name: string | null } | null

export async function creators({ relational }: Pick<Dependencies, 'relational'>, userIds: readonly (string | null)[]): Promise<CreatorOf> {
  const names = await namesOfUsers(
    instance(relational),
    userIds.filter(id => id !== null),
  )
  return userId => (userId === null ? null : { id: userId, name: names.get(userId) ?? null })
}

// Single-use sign-in links for a first user, an invited user, or a forgotten password.
import type { Author } from '../tenancy/audit.ts'
import type { Instance } from '../tenancy/handles.ts'
import { entriesOfUser } from './repository.ts'
import { hashOfToken, newToken } from './tokens.ts'

const dayMs = 24 * 3_600_000
const linkDays = 7

export interface NewLink {
  readonly token: string
  readonly expiresAt: Date
}

/** Replaces the user's older links. Throws `reference_missing` if the user does not exist. */
export const createLink = (all: Instance, userId: string, by: Author): Promise<NewLink> =>
  all.write<NewLink>(by, async rows => {
    const { at } = by
    const [token, expiresAt] = [newToken(), new Date(at.getTime() + linkDays * dayMs)]
    await rows.delete('one_time_links').where('user_id', '=', userId).execute()
    await rows
      .insert('one_time_links', { token_hash: hashOfToken(token)!, user_id: userId, created_at: at, expires_at: expiresAt })
      .execute()
    const audit = await entriesOfUser(rows, userId, { action: 'update', after: { signInLink: 'created' } })
    return { value: { token, expiresAt }, audit }
  })

/**
 * Returns the user of a link that has not been used. If the user sets a password with the link, the user's existing sessions end. The
 * password is hashed only if the link exists, because a hash takes 30 ms and any client can try tokens.
 */
export async function redeemLink(
  all: Instance,
  token: string,
  at: Date,
  hashPassword?: () => Promise<string>,
): Promise<string | undefined> {
  const tokenHash = hashOfToken(token)
  if (tokenHash === undefined) return undefined
  const link = await all.select('one_time_links').select('user_id').where('token_hash', '=', tokenHash).executeTakeFirst()
  if (link === undefined) return undefined
  const passwordHash = await hashPassword?.()
  const by: Author = { actor: { userId: link.user_id }, at }
  return all.write<string | undefined>(by, async rows => {
    const used = await rows
      .delete('one_time_links')
      .where('token_hash', '=', tokenHash)
      .returning(['user_id', 'expires_at'])
      .executeTakeFirst()
    if (used === undefined || used.expires_at.getTime() <= at.getTime()) return { value: undefined, audit: [] }
    if (passwordHash === undefined) return { value: used.user_id, audit: [] }
    await rows.update('users').set({ password: passwordHash, updated_at: at }).where('id', '=', used.user_id).execute()
    await rows.delete('sign_in_sessions').where('user_id', '=', used.user_id).execute()
    const audit = await entriesOfUser(rows, used.user_id, { action: 'update', after: { password: 'changed' } })
    return { value: used.user_id, audit }
  })
}

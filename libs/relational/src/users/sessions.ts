// Sessions of signed-in browsers. A session ends after 12 hours without use, and in any case after 30 days (contract §22).
import type { Instance } from '../tenancy/handles.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { type User, userOf } from './repository.ts'
import { hashOfToken, newToken } from './tokens.ts'

const hourMs = 3_600_000
const idleMs = 12 * hourMs
const longestMs = 30 * 24 * hourMs
/** `last_used_at` is updated only when it is older than this, so that most requests write nothing. */
const noteAfterMs = 5 * 60_000

export interface StartedSession {
  /** Token for the browser's cookie. The store contains only the token's hash. */
  readonly token: string
  readonly expiresAt: Date
}

export interface SignedIn {
  readonly user: User
  readonly expiresAt: Date
}

const endOf = (startedAt: Date) => new Date(startedAt.getTime() + longestMs)

/** Starts a session, and removes all expired sessions of all users. */
export async function startSession(all: Instance, userId: string, at: Date): Promise<StartedSession> {
  const token = newToken()
  await all.unaudited(async rows => {
    await rows
      .delete('sign_in_sessions')
      .where(where =>
        where.or([
          where('last_used_at', '<', new Date(at.getTime() - idleMs)),
          where('created_at', '<', new Date(at.getTime() - longestMs)),
        ]),
      )
      .execute()
    const row = { token_hash: hashOfToken(token)!, user_id: userId, created_at: at, last_used_at: at }
    await rows.insert('sign_in_sessions', row).execute()
  })
  return { token, expiresAt: endOf(at) }
}

/** Returns undefined if the session has ended. Throws `relational_unavailable`. */
export async function findSession(all: Instance, token: string, now: Date): Promise<SignedIn | undefined> {
  const tokenHash = hashOfToken(token)
  if (tokenHash === undefined) return undefined
  const row = await all
    .select('sign_in_sessions')
    .innerJoin('users', 'users.id', 'sign_in_sessions.user_id')
    .selectAll('users')
    .select(['sign_in_sessions.created_at as startedAt', 'sign_in_sessions.last_used_at as lastUsedAt'])
    .where('sign_in_sessions.token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const idle = now.getTime() - row.lastUsedAt.getTime()
  if (idle >= idleMs || now.getTime() >= endOf(row.startedAt).getTime()) return undefined
  if (idle > noteAfterMs)
    await all.unaudited(rows => rows.update('sign_in_sessions').set({ last_used_at: now }).where('token_hash', '=', tokenHash).execute())
  return { user: userOf(row as RowOf<'users'>), expiresAt: endOf(row.startedAt) }
}

export const endSession = (all: Instance, token: string): Promise<void> =>
  all.unaudited(async rows => {
    const tokenHash = hashOfToken(token)
    if (tokenHash !== undefined) await rows.delete('sign_in_sessions').where('token_hash', '=', tokenHash).execute()
  })

// Sign-in and sign-out of the web app, and the signed-in user (contract §22).
import * as ui from '@svc-server/api/ui/operations'
import { AppError } from '@svc-server/errors'
import { organizationsOf } from '@svc-server/relational/access'
import { hashPassword, verifyPassword } from '@svc-server/relational/passwords'
import { redeemLink as redeem } from '@svc-server/relational/sign-in-links'
import { endSession, startSession } from '@svc-server/relational/sign-in-sessions'
import { instance } from '@svc-server/relational/tenancy'
import { emailOf, findCredentials, findUser, setPassword, type User } from '@svc-server/relational/users'
import { type Browser, cookieOf, endedCookie } from '../../request/browser.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

/**
 * Returns the tables that the web app can read. `events_only` leaves the old tables empty. Without `previewOptIn`, the API refuses reads of
 * the new tables.
 */
const tablesOf = ({ writeMode, previewOptIn }: Pick<Dependencies, 'writeMode' | 'previewOptIn'>): readonly ('new' | 'old')[] => [
  ...(previewOptIn ? (['new'] as const) : []),
  ...(writeMode === 'events_only' ? [] : (['old'] as const)),
]

async function meOf({ id, email, name, image, hasPassword }: User, expiresAt: Date, deps: Dependencies) {
  const organizations = await organizationsOf(instance(deps.relational), id)
  return { user: { id, email, name, image, hasPassword }, organizations, tables: [...tablesOf(deps)], expiresAt: expiresAt.toISOString() }
}

/** Every sign-in creates a new session. */
async function signedIn(userId: string, { isSecure }: Browser, deps: Dependencies) {
  const all = instance(deps.relational)
  const user = await findUser(all, userId)
  // The user was removed during this request.
  if (user === undefined) throw new AppError('session_missing', 'The user has been removed.')
  const { token, expiresAt } = await startSession(all, userId, new Date(deps.clock()))
  return reply(200, await meOf(user, expiresAt, deps), { 'set-cookie': cookieOf(token, expiresAt, isSecure) })
}

async function hashOf(password: string): Promise<string> {
  try {
    return await hashPassword(password)
  } catch (error) {
    if (error instanceof AppError && error.code === 'bad_request') throw new InvalidBody(refused(error.message, ['password']))
    throw error
  }
}

const signIn = handle(ui.signIn, async ({ body, browser }, deps) => {
  const { password } = body
  const email = emailOf(body.email)
  let userId: string | undefined
  const isRight = await deps.guesses.attempt({ address: browser.address, email, password }, async () => {
    const found = await findCredentials(instance(deps.relational), email)
    userId = found?.user.id
    return verifyPassword(password, found?.hash ?? null)
  })
  if (!isRight || userId === undefined) throw new AppError('sign_in_refused', 'Email or password is wrong.')
  return signedIn(userId, browser, deps)
})

const redeemLink = handle(ui.redeemLink, async ({ body: { token, password }, browser }, deps) => {
  const hash = password === undefined ? undefined : () => hashOf(password)
  const userId = await redeem(instance(deps.relational), token, new Date(deps.clock()), hash)
  if (userId === undefined) throw new AppError('link_refused', 'The link is invalid, has expired, or has already been used.')
  return signedIn(userId, browser, deps)
})

const signOut = handle(ui.signOut, async ({ session, browser }, deps) => {
  await endSession(instance(deps.relational), session.token)
  return reply(204, undefined, { 'set-cookie': endedCookie(browser.isSecure) })
})

const me = handle(ui.me, async ({ session }, deps) => reply(200, await meOf(session.user, session.expiresAt, deps)))

const changePassword = handle(ui.changePassword, async ({ session: { user }, browser, body: { current = '', password } }, deps) => {
  const all = instance(deps.relational)
  if (user.hasPassword) {
    const guess = { address: browser.address, email: user.email, password: current }
    const isRight = await deps.guesses.attempt(guess, async () => {
      const found = await findCredentials(all, user.email)
      return verifyPassword(current, found?.hash ?? null)
    })
    if (!isRight) throw new InvalidBody(refused('The current password is wrong.', ['current']))
  }
  const hash = await hashOf(password)
  await setPassword(all, { actor: { userId: user.id }, at: new Date(deps.clock()) }, user.id, hash)
  return signedIn(user.id, browser, deps)
})

export const session = [signIn, redeemLink, signOut, me, changePassword]

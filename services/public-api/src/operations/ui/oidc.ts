// Handlers for the sign-in with an identity provider. A browser navigates to `start` and `finish`. If a sign-in fails, these handlers
// therefore redirect the browser to the sign-in page, which shows the error. There is no redirect if no identity provider is set up
// (`not_found`), if `finish` finds the relational store unavailable, or if the error is not an AppError.
import * as ui from '@svc-server/api/ui/operations'
import { AppError, isAppError } from '@svc-server/errors'
import { startSession } from '@svc-server/relational/sign-in-sessions'
import { instance } from '@svc-server/relational/tenancy'
import { userOfIdentity } from '../../oidc/members.ts'
import { flowSeconds, type OidcProvider } from '../../oidc/provider.ts'
import { type Browser, cookieOf, flowCookieOf } from '../../request/browser.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'

function required({ oidc }: Dependencies): OidcProvider {
  if (oidc === undefined) throw new AppError('not_found', 'No identity provider is set up (SVC_OIDC_ISSUER).')
  return oidc
}

const toSignIn = (oidc: OidcProvider, error: AppError) =>
  reply(302, undefined, { location: oidc.within(`/sign-in?error=${encodeURIComponent(error.message)}`) })

/** If the web app's address is https, cookies are Secure even if a proxy does not report https. */
const isSecure = (browser: Browser, oidc: OidcProvider) => browser.isSecure || oidc.within('').startsWith('https:')

const options = handle(ui.signInOptions, (_, { oidc }) => reply(200, { oidc: oidc === undefined ? null : { name: oidc.name } }))

const start = handle(ui.startOidc, async ({ query: { to }, browser }, deps) => {
  const oidc = required(deps)
  try {
    const { url, flow } = await oidc.begin(to)
    return reply(302, undefined, { location: url, 'set-cookie': flowCookieOf(flow, flowSeconds, isSecure(browser, oidc)) })
  } catch (error) {
    if (isAppError(error)) return toSignIn(oidc, error)
    throw error
  }
})

const finish = handle(ui.finishOidc, async ({ query, browser }, deps) => {
  const oidc = required(deps)
  const all = instance(deps.relational)
  const given = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  try {
    const { identity, to } = await oidc.finish(browser.oidcFlow, new URLSearchParams(given))
    const now = new Date(deps.clock())
    const user = await userOfIdentity(all, identity, oidc.roles, now)
    if (user === undefined) throw new AppError('sign_in_refused', `No invitation exists for ${identity.email}.`)
    const { token, expiresAt } = await startSession(all, user.id, now)
    return reply(302, undefined, { location: oidc.within(to), 'set-cookie': cookieOf(token, expiresAt, isSecure(browser, oidc)) })
  } catch (error) {
    if (isAppError(error) && error.code !== 'relational_unavailable') return toSignIn(oidc, error)
    throw error
  }
})

export const oidc = [options, start, finish]

// Sends a browser to the identity provider, and identifies the user when the browser returns. The state of a sign-in is in a cookie, so any
// process of the API can finish the sign-in.
import { AppError } from '@svc-server/errors'
import { parseJson } from '@svc-server/json'
import * as client from 'openid-client'
import type { GroupRole, OidcConfig } from './settings.ts'

export const flowSeconds = 600
const timeoutSeconds = 10

/** Contents of a cookie. Only the browser that started the sign-in has this cookie, and scripts of pages cannot read it. */
interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly to: string
}

export interface Identity {
  readonly email: string
  readonly name: string | null
  /** Undefined if the provider sends no groups. */
  readonly groups: readonly string[] | undefined
}

export interface OidcProvider {
  readonly name: string
  readonly roles: readonly GroupRole[]
  within(path: string): string
  begin(to: string | undefined): Promise<{ readonly url: string; readonly flow: string }>
  /**
   * Throws `sign_in_refused` if the provider refuses the sign-in, or if its response fails a check. Throws `identity_provider_unavailable`
   * if the provider does not respond as expected.
   */
  finish(flow: string | undefined, query: URLSearchParams): Promise<{ readonly identity: Identity; readonly to: string }>
}

const callbackPath = '/api/ui/session/oidc/callback'

/** Accepts only a path of the web app. No browser can read an accepted path as the address of another host. */
const pathOf = (to: string | undefined): string => (to !== undefined && /^\/(?![/\\])[^\\\s]*$/.test(to) ? to : '/')

const refuse = (sentence: string, cause?: unknown) => new AppError('sign_in_refused', sentence, {}, { cause })

function flowIn(text: string | undefined): Flow {
  try {
    const flow = parseJson(Buffer.from(text ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>
    const { state, nonce, verifier, to } = flow
    if ([state, nonce, verifier, to].every(each => typeof each === 'string')) return flow as unknown as Flow
  } catch {
    // A cookie that cannot be parsed is refused below.
  }
  throw refuse('This browser did not start the sign-in, or started it more than ten minutes ago.')
}

/** Undefined if no provider is configured. */
export function createOidcProvider(config: OidcConfig): OidcProvider | undefined {
  const { publicUrl, oidcIssuer, oidcClientId, oidcClientSecret, oidcScopes, oidcGroupsClaim } = config
  if (oidcIssuer === undefined || oidcClientId === undefined || publicUrl === undefined) return undefined
  const base = publicUrl.replace(/\/+$/, '')
  const issuer = URL.parse(oidcIssuer)!
  const redirectUri = `${base}${callbackPath}`
  let discovered: Promise<client.Configuration> | undefined

  const unavailable = (cause: unknown) =>
    new AppError('identity_provider_unavailable', `The identity provider ${issuer.origin} does not respond as expected.`, {}, { cause })

  /** Loads the configuration once; after a failure, the next call tries again. */
  function configuration(): Promise<client.Configuration> {
    const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []
    const made = (discovered ??= client
      .discovery(issuer, oidcClientId!, oidcClientSecret, oidcClientSecret === undefined ? client.None() : undefined, {
        execute,
        timeout: timeoutSeconds,
      })
      .catch((error: unknown) => {
        discovered = undefined
        throw unavailable(error)
      }))
    return made
  }

  function identityOf(claims: Readonly<Record<string, unknown>>): Identity {
    const { email, email_verified: isVerified, name, [oidcGroupsClaim]: groups } = claims
    if (typeof email !== 'string' || !/^\S+@\S+$/.test(email)) throw refuse('The identity provider provides no email address.')
    if (isVerified === false || isVerified === 'false') throw refuse('The identity provider has not verified the email address.')
    return {
      email,
      name: typeof name === 'string' ? name : null,
      groups: Array.isArray(groups) ? groups.filter(group => typeof group === 'string') : undefined,
    }
  }

  return {
    name: config.oidcName,
    roles: config.oidcRoles.filter(each => typeof each !== 'string'),
    within: path => `${base}${path}`,
    async begin(to) {
      const provider = await configuration()
      const flow: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to: pathOf(to),
      }
      const url = client.buildAuthorizationUrl(provider, {
        ...{ redirect_uri: redirectUri, scope: oidcScopes, state: flow.state, nonce: flow.nonce },
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, flow: Buffer.from(JSON.stringify(flow)).toString('base64url') }
    },
    async finish(text, query) {
      const flow = flowIn(text)
      const provider = await configuration()
      const returned = URL.parse(`${redirectUri}?${query}`)!
      const checks = { expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier, idTokenExpected: true }
      try {
        const tokens = await client.authorizationCodeGrant(provider, returned, checks)
        return { identity: identityOf(tokens.claims() ?? {}), to: flow.to }
      } catch (error) {
        if (error instanceof AppError) throw error
        if (error instanceof TypeError) throw unavailable(error)
        throw refuse('The identity provider did not sign this person in.', error)
      }
    },
  }
}

// Runs a real OpenID provider in this process. The provider signs in every visitor as the person whom the test has chosen.
/// <reference path="./oidc-provider.d.ts" />
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Context, Provider } from 'oidc-provider'

interface Person {
  readonly email: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly groups?: readonly string[]
}

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** Chooses the person whom the provider signs in next. */
  signsIn(person: Person): void
}

export const clientId = 'the-web-app'
export const clientSecret = 'a-client-secret-of-tests'

export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, Person>()
  let accountId = ''
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri], grant_types: ['authorization_code'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    // This provider puts the user's claims into the ID token, as many real providers do.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key of tests'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) }),
    async loadExistingGrant({ oidc: { client, session } }: Context) {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
    interactions: { url: () => '/sign-in' },
  })
  const serve = provider.callback()
  handle = (request, response) => {
    if (!request.url!.startsWith('/sign-in')) return serve(request, response)
    void provider.interactionFinished(request, response, { login: { accountId } })
  }
  return {
    issuer,
    signsIn(person) {
      accountId = `account-${people.size}`
      people.set(accountId, person)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

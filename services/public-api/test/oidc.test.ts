import type { Role } from '@svc-server/relational/roles'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rolesByGroups } from '../src/oidc/members.ts'
import { oidcProblems } from '../src/oidc/settings.ts'
import { clientId, clientSecret, type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { addPerson } from './people.ts'
import { type OpenedResources, openResources } from './resources.ts'

const publicUrl = 'http://svc.example/base'
const callback = `${publicUrl}/api/ui/session/oidc/callback`
const roles = 'engineers=org:MEMBER,leads=org:ADMIN,all=elsewhere:VIEWER'

let identities: IdentityProvider
let opened: OpenedResources
beforeAll(async () => {
  identities = await startIdentityProvider(callback)
  const env = {
    ...{ SVC_PUBLIC_URL: `${publicUrl}/`, SVC_OIDC_ISSUER: identities.issuer, SVC_OIDC_SCOPES: 'openid email profile groups' },
    ...{ SVC_OIDC_CLIENT_ID: clientId, SVC_OIDC_CLIENT_SECRET: clientSecret, SVC_OIDC_ROLES: roles, SVC_OIDC_NAME: 'Acme' },
  }
  opened = await openResources({ env })
  await opened.store.db.insertInto('organizations').values({ id: 'elsewhere', name: 'elsewhere' }).execute()
})
afterAll(async () => {
  await opened[Symbol.asyncDispose]()
  await identities[Symbol.asyncDispose]()
})

const get = (path: string, cookie = '') => opened.api.send('GET', path, { authorization: null, headers: { cookie } })
const cookieIn = (header: unknown) => String(header).split(';')[0]!
const errorOf = (location: unknown) => new URL(String(location)).searchParams.get('error')

/** Signs in at the identity provider. Returns the cookie of this sign-in, and the URL to which the provider redirects at the end. */
async function throughProvider(to = '/project/project-0/observations?q=a') {
  const begun = await get(`/api/ui/session/oidc?to=${encodeURIComponent(to)}`)
  expect([begun.status, String(begun.headers['set-cookie'])]).toEqual([
    302,
    expect.stringMatching(/^svc-oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
  ])
  const jar = new Map<string, string>()
  let url = String(begun.headers['location'])
  while (!url.startsWith(publicUrl)) {
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookieIn(set).split(/=(.*)/s)
      jar.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`The provider answers ${answer.status}: ${await answer.text()}`)
    url = new URL(location, url).href
  }
  return {
    flow: cookieIn(begun.headers['set-cookie']),
    back: url.slice(publicUrl.length),
    begun: new URL(String(begun.headers['location'])),
  }
}

async function signIn(to?: string) {
  const { flow, back } = await throughProvider(to)
  const answer = await get(back, flow)
  return { answer, location: String(answer.headers['location']), cookie: cookieIn(answer.headers['set-cookie']) }
}

test('a new user with a permitted group is created, signed in, and returned to the requested page', async () => {
  identities.signsIn({ email: 'Ada@Example.com', email_verified: true, name: 'Ada', groups: ['engineers', 'unknown'] })
  const { answer, location, cookie } = await signIn()
  expect([answer.status, location]).toEqual([302, `${publicUrl}/project/project-0/observations?q=a`])
  const me = (await get('/api/ui/me', cookie)).json
  expect(me).toMatchObject({
    user: { email: 'ada@example.com', name: 'Ada', hasPassword: false },
    organizations: [{ id: 'org', role: 'MEMBER' }],
  })
  identities.signsIn({ email: 'ada@example.com', email_verified: true, groups: ['leads', 'engineers', 'all'] })
  const after = (await get('/api/ui/me', (await signIn()).cookie)).json.organizations.map((of: { id: string; role: Role }) => [
    of.id,
    of.role,
  ])
  expect(after).toEqual([
    ['elsewhere', 'VIEWER'],
    ['org', 'ADMIN'],
  ])
  identities.signsIn({ email: 'ada@example.com', email_verified: true, groups: [] })
  expect((await get('/api/ui/me', (await signIn()).cookie)).json.organizations).toEqual([])
})

test('an existing user signs in without groups and keeps the role', async () => {
  await addPerson(opened.store, 'grace@example.com', 'OWNER')
  identities.signsIn({ email: 'grace@example.com', email_verified: true })
  const { cookie } = await signIn()
  expect((await get('/api/ui/me', cookie)).json.organizations).toMatchObject([{ id: 'org', role: 'OWNER' }])
})

test('users without a permitted group or a verified email address are refused', async () => {
  identities.signsIn({ email: 'eve@example.com', email_verified: true, groups: ['unknown'] })
  expect(errorOf((await signIn()).location)).toBe('No invitation exists for eve@example.com.')
  identities.signsIn({ email: 'grace@example.com', email_verified: false })
  expect(errorOf((await signIn()).location)).toBe('The identity provider has not verified the email address.')
})

test('PKCE, state and nonce are required; a different browser, a different state and a second use are refused', async () => {
  identities.signsIn({ email: 'grace@example.com', email_verified: true })
  const { flow, back, begun } = await throughProvider()
  expect(Object.fromEntries(begun.searchParams)).toMatchObject({
    code_challenge_method: 'S256',
    redirect_uri: callback,
    response_type: 'code',
  })
  for (const name of ['state', 'nonce', 'code_challenge']) expect(begun.searchParams.get(name)!.length).toBeGreaterThan(40)
  const refusal = async (path: string, cookie?: string) => {
    const { headers } = await get(path, cookie)
    expect(headers['set-cookie']).toBe(undefined)
    return errorOf(headers['location'])
  }
  expect(await refusal(back)).toMatch(/did not start/)
  expect(await refusal(back, (await throughProvider()).flow)).toMatch(/did not sign/)
  expect(await refusal(back.replace(/state=[^&]+/, 'state=other'), flow)).toMatch(/did not sign/)
  expect(await refusal('/api/ui/session/oidc/callback?error=access_denied&state=x', flow)).toMatch(/did not sign/)
  expect((await get(back, flow)).headers['set-cookie']).toBeDefined()
  expect(await refusal(back, flow)).toMatch(/did not sign/)
})

test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'a sign-in does not redirect to %s',
  async to => {
    identities.signsIn({ email: 'grace@example.com', email_verified: true })
    expect((await signIn(to)).location).toBe(`${publicUrl}/`)
  },
)

test('the sign-in options name the identity provider', async () => {
  expect((await get('/api/ui/session/options')).json).toEqual({ oidc: { name: 'Acme' } })
})

test('each organization gets the highest role of all groups', () => {
  const given = [
    { group: 'a', orgId: 'o', role: 'MEMBER' },
    { group: 'b', orgId: 'o', role: 'OWNER' },
    { group: 'c', orgId: 'p', role: 'VIEWER' },
  ] as const
  expect([...rolesByGroups(given, ['b', 'a'])]).toEqual([
    ['o', 'OWNER'],
    ['p', undefined],
  ])
})

test('settings that do not fit together are reported', () => {
  const config = { publicUrl: undefined, oidcIssuer: 'https://a', oidcClientId: undefined, oidcRoles: ['nonsense'] } as never
  const problems = oidcProblems(config)
  for (const name of ['SVC_OIDC_ROLES', 'SVC_OIDC_CLIENT_ID', 'SVC_PUBLIC_URL']) expect(problems.join()).toContain(name)
})

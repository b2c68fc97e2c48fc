// Signs in through a real identity provider. Tests three things: the roles that a user's groups give, signing out, and forged responses.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clientId, clientSecret, type IdentityProvider, startIdentityProvider } from '@svc-server/public-api/test-identity-provider'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, violations } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const observations = '/project/default-project/observations?q=root:true%20name:answer'
let identities: IdentityProvider
let instance: Instance
let browser: Browser

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

beforeAll(async () => {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  identities = await startIdentityProvider(`${publicUrl}/api/ui/session/oidc/callback`)
  const settings = {
    ...{ PORT: String(port), SVC_PUBLIC_URL: publicUrl, SVC_OIDC_ISSUER: identities.issuer, SVC_OIDC_NAME: 'Acme' },
    ...{ SVC_OIDC_SCOPES: 'openid email profile groups', SVC_OIDC_CLIENT_ID: clientId, SVC_OIDC_CLIENT_SECRET: clientSecret },
    SVC_OIDC_ROLES: 'readers=default-org:VIEWER,leads=default-org:ADMIN',
  }
  ;[instance, browser] = await Promise.all([startInstance(settings), openBrowser()])
  await instance.send(traceOf(0))
  await instance.readable(2)
})
afterAll(async () => {
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
  await identities?.[Symbol.asyncDispose]()
})

const provider = (page: Page) => page.getByRole('link', { name: 'Sign in with Acme' })
const row = (page: Page) => page.getByRole('gridcell', { name: 'question 0' })

async function visitor() {
  const watched = await openPage(browser, instance.url, { expected: new RegExp(`${identities.issuer}|status of 40[13]`) })
  watched.page.setDefaultTimeout(60_000)
  return watched
}

/** Starts a sign-in without the browser. Returns the URL of the provider, so that the test can modify this URL. */
async function begun(page: Page): Promise<URL> {
  const response = await page.request.get('/api/ui/session/oidc?to=/', { maxRedirects: 0 })
  expect(response.status()).toBe(302)
  return URL.parse(response.headers()['location']!)!
}

async function signedInAs(page: Page): Promise<{ readonly user: object; readonly organizations: readonly { readonly role: string }[] }> {
  const response = await page.request.get('/api/ui/me')
  return (await response.json()) as Awaited<ReturnType<typeof signedInAs>>
}

test('a user with a permitted group gets to the requested page, with the role of the group', async () => {
  await using watched = await visitor()
  const { page } = watched
  identities.signsIn({ email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['readers'] })
  await page.goto(observations)
  await provider(page).waitFor()
  expect(await violations(page)).toEqual([])
  await provider(page).click()
  await row(page).waitFor()
  expect(page.url()).toContain('/project/default-project/observations?q=root:true')
  expect(await signedInAs(page)).toMatchObject({ user: { email: 'ada@example.com' }, organizations: [{ role: 'VIEWER' }] })
  await page.reload()
  await row(page).waitFor()
  expect(watched.complaints).toEqual([])
})

test('the role follows the groups at the next sign-in, and signing out ends the session', async () => {
  await using watched = await visitor()
  const { page } = watched
  identities.signsIn({ email: 'ada@example.com', email_verified: true, groups: ['leads'] })
  await page.goto(observations)
  await provider(page).click()
  await row(page).waitFor()
  expect(await signedInAs(page)).toMatchObject({ user: { email: 'ada@example.com' }, organizations: [{ role: 'ADMIN' }] })
  const cookies = await page.context().cookies(instance.url)
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await provider(page).waitFor()
  await page.goto(observations)
  await provider(page).waitFor()
  await page.context().addCookies(cookies)
  await page.goto(observations)
  await provider(page).waitFor()
  expect(watched.complaints).toEqual([])
})

test('a user without a permitted group is refused with a sentence', async () => {
  await using watched = await visitor()
  const { page } = watched
  identities.signsIn({ email: 'eve@example.com', email_verified: true, groups: ['unknown'] })
  await page.goto(observations)
  await provider(page).click()
  await page.getByRole('alert').getByText('No invitation exists for eve@example.com.').waitFor()
})

test.each(['state', 'nonce', 'code_challenge'])('a sign-in with another %s is refused', async name => {
  await using watched = await visitor()
  const { page } = watched
  identities.signsIn({ email: 'ada@example.com', email_verified: true, groups: ['leads'] })
  const url = await begun(page)
  url.searchParams.set(name, 'x'.repeat(43))
  await page.goto(url.href)
  await page
    .getByRole('alert')
    .getByText(/did not sign/)
    .waitFor()
  await page.goto(observations)
  await provider(page).waitFor()
})

test('the callback of a sign-in is refused in another browser, and when it is used a second time', async () => {
  await using first = await visitor()
  await using second = await visitor()
  identities.signsIn({ email: 'ada@example.com', email_verified: true, groups: ['leads'] })
  const callbacks: string[] = []
  first.page.on('request', request => void (request.url().includes('/oidc/callback') && callbacks.push(request.url())))
  await first.page.goto((await begun(first.page)).href)
  await row(first.page).waitFor()
  for (const { page } of [second, first]) {
    await page.context().clearCookies({ name: 'svc-session' })
    await page.goto(callbacks[0]!)
    await page.getByRole('alert').waitFor()
    await page.goto(observations)
    await provider(page).waitFor()
  }
})

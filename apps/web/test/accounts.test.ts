// Tests user accounts when the service has a base path: invitations, password changes, and the button of the identity provider.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, violations, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const member = 'second@example.com'
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  const settings = {
    ...{ SVC_BASE_PATH: '/a/b', SVC_PUBLIC_URL: 'http://127.0.0.1/a/b' },
    ...{ SVC_OIDC_ISSUER: 'http://127.0.0.1:9', SVC_OIDC_CLIENT_ID: 'svc', SVC_OIDC_NAME: 'Acme' },
  }
  ;[instance, browser] = await Promise.all([startInstance(settings), openBrowser()])
  watched = await openPage(browser, `${instance.url}/`)
  page = watched.page
  page.setDefaultTimeout(60_000)
  await instance.send(traceOf(0))
  await instance.readable(2)
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const row = (on: Page) => on.getByRole('gridcell', { name: 'question 0' })
const settings = () => page.goto('project/default-project/settings')
const link = () => page.getByText(/\/a\/b\/setup\?token=/).textContent()
const another = () => openPage(browser, `${instance.url}/`, { expected: /status of 40[01]/ })

async function choosePassword(on: Page, password: string): Promise<void> {
  await on.getByLabel('Password').fill(password)
  await on.getByRole('button', { name: 'Save and sign in' }).click()
}

async function signIn(on: Page, password: string): Promise<void> {
  await on.getByLabel('Email').fill(member)
  await on.getByLabel('Password').fill(password)
  await on.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('below a base path, the link signs in, and every place can be opened and reloaded', async () => {
  expect(instance.url).toMatch(/\/a\/b$/)
  await page.goto(instance.link)
  await row(page).dblclick()
  await page.waitForURL(/\/a\/b\/project\/default-project\/traces\/0{31}1/)
  await page.locator('[role=row][aria-selected=true]').waitFor()
  await page.reload()
  await page.locator('[role=row][aria-selected=true]').waitFor()
  for (const place of ['Observations', 'Sessions', 'Users', 'Scores', 'Settings', 'System']) {
    await page.getByRole('link', { name: place }).click()
    await page.waitForURL(`**/a/b/**${place.toLowerCase()}*`)
    await page.getByRole('heading', { level: 1, name: place }).waitFor({ state: 'attached' })
  }
  await page.getByRole('link', { name: 'svc' }).click()
  await row(page).waitFor()
})

test('an invited person chooses a password and signs in with it', async () => {
  await settings()
  await page.getByLabel('Email of the new member').fill(member)
  await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('viewer')
  await page.getByRole('button', { name: 'Create an invitation link' }).click()
  const address = (await link())!
  await page.getByRole('row').filter({ hasText: member }).waitFor()
  expect(await violations(page)).toEqual([])
  await using second = await another()
  await second.page.goto(address)
  expect(await violations(second.page)).toEqual([])
  await choosePassword(second.page, 'short')
  await second.page.getByRole('alert').waitFor()
  await choosePassword(second.page, 'correct horse battery')
  await row(second.page).waitFor()
  await second.page.getByRole('button', { name: `Account: ${member}` }).click()
  await second.page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(second.page, 'correct horse battery')
  await row(second.page).waitFor()
  expect(second.complaints).toEqual([])
})

test('a forgotten password is replaced by a link that an administrator makes', async () => {
  await settings()
  await page.getByRole('row').filter({ hasText: member }).getByRole('button', { name: 'Create a sign-in link' }).click()
  await using second = await another()
  await second.page.goto((await link())!)
  await choosePassword(second.page, 'another horse battery')
  await row(second.page).waitFor()
  await second.page.getByRole('button', { name: `Account: ${member}` }).click()
  await second.page.getByRole('button', { name: 'Password', exact: true }).click()
  const dialog = second.page.getByRole('dialog', { name: 'Password' })
  await dialog.getByLabel('Current password').fill('another horse battery')
  await dialog.getByLabel('New password').fill('a third horse battery')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('The password is changed').waitFor()
  await using third = await another()
  await third.page.goto('sign-in')
  await signIn(third.page, 'another horse battery')
  await third.page.getByText('Email or password is wrong', { exact: false }).waitFor()
  await signIn(third.page, 'a third horse battery')
  await row(third.page).waitFor()
  expect([...second.complaints, ...third.complaints]).toEqual([])
})

test('the page for signing in offers the identity provider, and shows why it refused', async () => {
  await using second = await another()
  await second.page.goto('sign-in?error=No%20invitation%20exists')
  await second.page.getByRole('alert').getByText('No invitation exists').waitFor()
  const button = second.page.getByRole('link', { name: 'Sign in with Acme' })
  expect(await button.getAttribute('href')).toBe('/a/b/api/ui/session/oidc?to=%2F')
  expect(await violations(second.page)).toEqual([])
})

test('a removed member is no longer listed', async () => {
  await settings()
  page.once('dialog', dialog => void dialog.accept())
  const line = page.getByRole('row').filter({ hasText: member })
  await line.getByRole('button', { name: 'Remove' }).click()
  await line.waitFor({ state: 'detached' })
})

test('no request left the base path, and no request failed', () => expect(watched.complaints).toEqual([]))

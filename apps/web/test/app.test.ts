// Tests the web app in a real browser, starting with the printed sign-in link. The tests also check the rules that hold for every page.

import { isAsked, sized } from '@svc-server/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kilobytes, openBrowser, openPage, violations, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const traces = 20
const password = 'correct horse battery staple'
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(60_000)
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const patient = { timeout: 60_000 }
const rows = () => page.getByRole('row')
const filter = () => page.getByRole('combobox', { name: 'Filter' })
const screen = () => page.getByRole('grid').textContent()

async function filterBy(text: string): Promise<void> {
  await filter().fill(text)
  await filter().press('Enter')
}

/** Returns the size of the scripts that pages have loaded since the previous call. */
async function scriptKilobytes(): Promise<number> {
  const scripts = [...watched.loaded].filter(address => address.endsWith('.js'))
  watched.loaded.clear()
  return kilobytes(page, scripts)
}

test('the printed link signs in once, and shows how to send the first span', async () => {
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\/observations/)
  await page.getByRole('heading', { name: 'Send your first span' }).waitFor()
  await scriptKilobytes()
  await page.reload()
  await page.getByRole('heading', { name: 'Send your first span' }).waitFor()
  expect(await scriptKilobytes()).toBeLessThan(145)
  await using second = await openPage(browser, instance.url, { expected: /401/ })
  await second.page.goto(instance.link)
  expect(await second.page.getByRole('alert').textContent()).toContain('The link is invalid')
  expect(second.complaints).toEqual([])
})

test('sent spans become rows, roots first, and the scripts loaded before the rows stay within their budget', async () => {
  await instance.send(Array.from({ length: traces }, (_, at) => traceOf(at)).flat())
  await instance.readable(2 * traces)
  await page.goto('/')
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
  expect(await rows().count()).toBe(traces + 1)
  expect(await scriptKilobytes()).toBeLessThan(145)
})

test('the files that the app loads until it is idle, and then for a trace, stay within their budgets', async () => {
  const loaded = new Set<string>()
  const fresh = await page.context().newPage()
  fresh.setDefaultTimeout(60_000)
  fresh.on('request', request => void loaded.add(request.url()))
  const addresses = (kind: RegExp) => [...loaded].filter(address => kind.test(address))
  await fresh.goto('/project/default-project/observations')
  await fresh.getByRole('gridcell', { name: 'question 0' }).waitFor()
  await fresh.waitForLoadState('networkidle')
  const scripts = await kilobytes(fresh, addresses(/\.js$/))
  expect(scripts).toBeLessThan(200)
  expect(await kilobytes(fresh, addresses(/\.css$/))).toBeLessThan(15)
  await fresh.getByRole('gridcell', { name: 'question 0' }).dblclick()
  await fresh.locator('[role=row][aria-selected=true]').getByText('answer').waitFor()
  await fresh.getByRole('region', { name: 'Details' }).getByRole('region', { name: 'Input' }).waitFor()
  expect((await kilobytes(fresh, addresses(/\.js$/))) - scripts).toBeLessThan(40)
  await fresh.close()
})

test('a double click opens the trace of its row, wherever the peek has moved it', async () => {
  await filterBy('root:true')
  const row = page.getByRole('row').filter({ hasText: 'question 0' })
  const { x, y, width, height } = (await row.boundingBox())!
  const [right, middle] = [Math.min(x + width, page.viewportSize()!.width) - 40, y + height / 2]
  await page.mouse.dblclick(right, middle)
  await page.getByRole('region', { name: 'Details' }).waitFor()
  await page.goBack()
  await page.keyboard.press('Escape')
})

test('a filter narrows the rows and is in the URL, and a reload shows the same screen', async () => {
  await filterBy('root:true name:refund')
  await expect.poll(() => rows().count(), patient).toBe(1 + traces / 5)
  expect(page.url()).toContain('q=root:true+name:refund')
  await expect.poll(() => page.getByText('$0.2500').count(), patient).toBe(traces / 5)
  const before = await screen()
  await page.reload()
  await expect.poll(screen, patient).toBe(before)
})

test('a filter with an error marks the token, and an empty filter shows every observation', async () => {
  await filterBy('name:refund or name:answer')
  await filter().blur()
  expect(await page.getByRole('alert').textContent()).toMatch(/^or Terms cannot be combined with "or"/)
  await filterBy('')
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount'), patient).toBe(String(2 * traces + 1))
})

test('keys walk the rows, space peeks, and a pasted id goes to its trace', async () => {
  await filterBy('root:true')
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount'), patient).toBe(String(traces + 1))
  await page.getByRole('grid').focus()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press(' ')
  const peek = page.getByRole('complementary', { name: 'Observation' })
  await peek.getByText('question 1').waitFor()
  expect(page.url()).toContain('peek=')
  await page.keyboard.press('Escape')
  await peek.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Peek at the row').waitFor()
  await page.keyboard.press('Escape')
  await filterBy('00000000000000000000000000000003')
  await page.waitForURL(/\/traces\/0{31}3/)
  await page.goBack()
})

test('the menu of a value adds a filter', async () => {
  await filterBy('root:true')
  await page.getByText('refund', { exact: true }).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'None of this' }).click()
  await expect.poll(() => rows().count(), patient).toBe(1 + (traces * 4) / 5)
  await expect.poll(() => filter().inputValue(), patient).toBe('root:true -name:refund')
})

const project = 'default-project'
const places = [
  'observations',
  'sessions',
  'sessions/session-0',
  'users',
  'scores',
  'settings',
  'traces/00000000000000000000000000000003',
  'traces/00000000000000000000000000000bad',
]

test('in both themes, no place violates an accessibility rule', async () => {
  for (const [at, place] of ['system', ...places.map(each => `project/${project}/${each}`)].entries()) {
    await page.goto(`/${place}`)
    await page.locator('main [role=grid], main [role=treegrid], main table, main ol li, main h2').first().waitFor()
    // The quick run checks each place in only one theme. The theme alternates from place to place.
    for (const [theme, colorScheme] of (['light', 'dark'] as const).entries()) {
      if (!isAsked(at, theme, 2)) continue
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect([place, colorScheme, ...(await violations(page))]).toEqual([place, colorScheme])
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
})

test('the system page lists active SDKs and migration steps, and no banner appears when there is nothing to copy', async () => {
  await page.goto('/system')
  await page.getByRole('heading', { name: 'SDKs that send' }).waitFor()
  await page.getByRole('heading', { name: 'Migration of older data' }).waitFor()
  await page.getByText('none', { exact: true }).waitFor()
  expect(await page.getByText('Older data is being copied').count()).toBe(0)
})

test('the system page shows the backlog of each consumer', async () => {
  await page.goto('/system')
  await page
    .getByText('Every consumer is up to date.')
    .or(page.getByRole('table', { name: 'Backlog' }))
    .first()
    .waitFor()
  await page.getByText('Dead letters').waitFor()
  await page.goto(`/project/${project}/traces/00000000000000000000000000000003`)
})

test('sessions and users of the range link to their rows', async () => {
  await page.getByRole('link', { name: 'Observations' }).click()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('link', { name: 'session-1' }).click()
  await page.getByText(`question ${traces - 3}`).waitFor()
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('link', { name: 'user-0' }).click()
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
  await expect.poll(() => filter().inputValue(), patient).toBe('root:true user:user-0')
})

test('a new key shows its secret once', async () => {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByText(/SVC_SECRET_KEY=sk-svc-/).waitFor()
  await expect.poll(() => page.getByRole('table', { name: 'API keys' }).getByRole('row').count(), patient).toBe(3)
  await page.reload()
  await page.getByRole('table', { name: 'API keys' }).waitFor()
  expect(await page.getByText(/SVC_SECRET_KEY=/).count()).toBe(0)
})

test('the live tail shows a new row by itself', async () => {
  await page.getByRole('link', { name: 'Observations' }).click()
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
  await page.mouse.move(0, 0)
  const [events] = await Promise.all([page.waitForResponse(/rows\/tail/), page.keyboard.press('l')])
  expect(events.headers()['content-type']).toBe('text/event-stream')
  expect(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).toBe('true')
  await instance.send(traceOf(traces + 1, 0.5))
  await page.getByRole('gridcell', { name: `question ${traces + 1}` }).waitFor()
  await page.keyboard.press('l')
})

test('a password signs in after signing out, and a wrong one is refused with an error message', async () => {
  const status = await page.evaluate(async given => {
    const response = await fetch('/api/ui/me/password', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-svc-ui': '1' },
      body: JSON.stringify({ password: given }),
    })
    return response.status
  }, password)
  expect(status).toBe(200)
  await using other = await openPage(browser, instance.url, { expected: /401/ })
  const form = other.page
  await form.goto('/')
  await form.waitForURL(/\/sign-in/)
  const email = await page.evaluate(async () => ((await (await fetch('/api/ui/me')).json()) as { user: { email: string } }).user.email)
  await form.getByLabel('Email').fill(email)
  await form.getByLabel('Password').fill('wrong')
  await form.getByRole('button', { name: 'Sign in' }).click()
  expect(await form.getByRole('alert').textContent()).toContain('Email or password is wrong')
  await form.getByLabel('Password').fill(password)
  await form.getByRole('button', { name: 'Sign in' }).click()
  await form.getByRole('gridcell', { name: 'question 0' }).waitFor()
  expect(other.complaints).toEqual([])
})

const zones: readonly (readonly [zone: string, hours: number])[] = [
  ['Pacific/Kiritimati', 14],
  ['Pacific/Pago_Pago', -11],
]
test.each(sized(zones, zones.slice(0, 1)))('in %s, rows and ranges have the times of that zone', async (zone, hours) => {
  await using there = await openPage(browser, instance.url, { zone })
  await there.page.context().addCookies(await page.context().cookies())
  const local = (time: string) => new Date(Date.parse(time) + hours * 3_600_000).toISOString()
  const [read] = await Promise.all([there.page.waitForResponse(/\/rows\?/), there.page.goto(`/project/${project}/observations`)])
  const { data } = (await read.json()) as { readonly data: readonly [{ readonly startTime: string }] }
  const { startTime } = data[0]
  const shown = there.page.getByRole('row').nth(1).locator('[data-column=time]')
  await expect.poll(() => shown.textContent(), patient).toContain(local(startTime).slice(11, 19))
  expect(await shown.textContent()).toContain(local(startTime).slice(8, 10))
  expect(await shown.locator('[title]').getAttribute('title')).toMatch(`${zone}\n${startTime.slice(0, 23)}`)
  await there.page.getByRole('button', { name: 'Time range' }).click()
  await there.page.getByRole('combobox', { name: 'Times in' }).locator('option:checked', { hasText: zone }).waitFor({ state: 'attached' })
  await there.page.getByLabel('From', { exact: true }).fill(local('2026-11-01T00:00:00Z').slice(0, 16))
  await there.page.getByRole('button', { name: 'Apply', exact: true }).click()
  await there.page.waitForURL(/t=2026-11-01T00:00:00/)
  expect(there.complaints).toEqual([])
})

test('example traces are sent from the first page, and removed by the settings', async () => {
  const headers = { 'sec-fetch-site': 'same-origin', 'x-svc-ui': '1' }
  const me = (await (await page.request.get('/api/ui/me', { headers })).json()) as {
    readonly organizations: readonly [{ readonly id: string }]
  }
  const made = await page.request.post(`/api/ui/organizations/${me.organizations[0].id}/projects`, {
    headers,
    data: { name: 'second', metadata: {}, retention: 0 },
  })
  const { id } = (await made.json()) as { readonly id: string }
  await page.goto(`/project/${id}/observations`)
  await page.getByRole('button', { name: 'Send example traces' }).click()
  await page.getByRole('button', { name: 'Show them' }).click()
  await page.getByText('Where is my parcel 4711?').first().waitFor()
  page.once('dialog', dialog => void dialog.accept())
  await page.goto(`/project/${id}/settings`)
  await page.getByRole('button', { name: 'Remove example traces' }).click()
  await page.getByText('36 of 36 done').waitFor()
  const rowsLeft = async () => {
    const answer = await page.request.get(`/api/ui/projects/${id}/rows?limit=1`, { headers })
    return ((await answer.json()) as { readonly data: readonly unknown[] }).data.length
  }
  await expect.poll(rowsLeft, { ...patient, interval: 500 }).toBe(0)
  await page.goto(`/project/${id}/observations?q=`)
  await page.getByRole('heading', { name: 'Send your first span' }).waitFor()
})

test('no request went to another origin, violated the policy or failed', () => {
  expect(watched.complaints).toEqual([])
})

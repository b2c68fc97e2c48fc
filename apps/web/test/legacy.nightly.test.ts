// Tests the web app in write mode `legacy`. In this mode, only the tables of v3 exist.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance } from './instance.ts'

const legacy = {
  SVC_MIGRATION_V4_WRITE_MODE: 'legacy',
  SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
  SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
  SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'false',
}
const observations = '/project/default-project/observations'
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  instance = await startInstance(legacy)
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(60_000)
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

let events = 0
async function ingest(batch: readonly { readonly type: string; readonly body: object }[]): Promise<void> {
  const timestamp = new Date().toISOString()
  const response = await fetch(`${instance.url}/api/public/ingestion`, {
    method: 'POST',
    headers: { authorization: instance.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ batch: batch.map(event => ({ id: `event-${++events}`, timestamp, ...event })) }),
  })
  const { errors } = (await response.json()) as { readonly errors: readonly unknown[] }
  expect(errors).toEqual([])
}

const trace = (id: string, name: string) => [
  { type: 'trace-create', body: { id, name, userId: 'user-old' } },
  { type: 'span-create', body: { id: `${id}-root`, traceId: id, name, input: 'an old question', startTime: new Date().toISOString() } },
  {
    type: 'generation-create',
    body: {
      id: `${id}-chat`,
      traceId: id,
      parentObservationId: `${id}-root`,
      name: 'chat',
      model: 'gpt-5',
      startTime: new Date().toISOString(),
    },
  },
  { type: 'score-create', body: { id: `${id}-score`, traceId: id, name: 'quality', value: 0.75, dataType: 'NUMERIC' } },
]
const table = () => page.getByRole('table', { name: 'Observations in the old tables' })
const rows = () => table().getByRole('link')

test('live rows appear by themselves', async () => {
  await page.goto(observations)
  await page.getByText('No observation in this range').waitFor()
  expect(await page.getByRole('group', { name: 'Tables' }).count()).toBe(0)
  await page.keyboard.press('l')
  await ingest(trace('trace-a', 'answer'))
  await rows().filter({ hasText: 'answer' }).waitFor()
  await page.reload()
  await ingest(trace('trace-b', 'refund'))
  await rows().filter({ hasText: 'refund' }).waitFor()
})

test('the filter applies what the old tables can answer, and names the rest', async () => {
  await page.keyboard.press('/')
  await page.keyboard.type('name:^ref root:true')
  await page.keyboard.press('Enter')
  await page.getByText('Not applied, because the old tables cannot be filtered by it: root:true').waitFor()
  await expect.poll(() => rows().allTextContents(), { timeout: 30_000 }).toEqual(['refund'])
  await expectAccessible(page)
})

test('the address of a filter shows the same rows', async () => {
  await page.goto(`${observations}?q=name:chat+model:gpt-5`)
  await expect.poll(() => rows().allTextContents(), { timeout: 30_000 }).toEqual(['chat', 'chat'])
})

test('a trace shows its tree, contents and scores', async () => {
  await page.goto(`${observations}?q=name:answer`)
  await rows().filter({ hasText: 'answer' }).click()
  await page.waitForURL(/traces\/trace-a\?o=trace-a-root/)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('region', { name: 'Input' }).getByText('an old question').waitFor()
  await details.getByText('quality').waitFor()
  await details.getByText('0.75').waitFor()
  await page.getByRole('row', { name: /chat/ }).click()
  await details.getByRole('heading', { name: 'chat' }).waitFor()
})

test('other pages say that this installation does not read the new tables yet', async () => {
  for (const place of ['Sessions', 'Users', 'Scores']) {
    await page.getByRole('link', { name: place, exact: true }).click()
    await page.getByRole('heading', { name: 'This page needs the new tables' }).waitFor()
  }
  await page.getByText('This installation does not read the new tables yet.').waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('table', { name: 'API keys' }).waitFor()
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByText('legacy', { exact: true }).waitFor()
  expect(watched.complaints).toEqual([])
})

test('after a reload of a page without a project, the rail shows the project that was opened last', async () => {
  const me = (await (await page.request.get(`${instance.url}/api/ui/me`)).json()) as {
    readonly organizations: readonly { readonly id: string }[]
  }
  const response = await page.request.post(`${instance.url}/api/ui/organizations/${me.organizations[0]!.id}/projects`, {
    headers: { 'sec-fetch-site': 'same-origin', 'x-svc-ui': '1' },
    data: { name: 'second', retention: 0 },
  })
  const { id } = (await response.json()) as { readonly id: string }
  await page.goto(`/project/${id}/settings`)
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.goto('/system')
  await page.reload()
  await page.getByRole('heading', { name: 'System' }).waitFor()
  expect(await page.getByRole('link', { name: 'Observations' }).getAttribute('href')).toBe(`/project/${id}/observations`)
})

// In write mode `dual`, users can switch between the new and the old tables.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, violations, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const dual = {
  SVC_MIGRATION_V4_WRITE_MODE: 'dual',
  SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
  SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'true',
}
const observations = '/project/default-project/observations'
const oldTrace = 'e'.repeat(32)
let directory: string
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

async function start(settings: Readonly<Record<string, string>>): Promise<void> {
  await watched?.[Symbol.asyncDispose]()
  await instance?.[Symbol.asyncDispose]()
  instance = await startInstance({ SVC_DATA_DIR: directory, ...settings })
  watched = await openPage(browser, instance.url, { expected: /status of (?:404|503)/ })
  page = watched.page
  page.setDefaultTimeout(120_000)
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-tables-'))
  browser = await openBrowser()
  await start(dual)
  await instance.send(traceOf(0))
  await instance.readable(2)
  await instance.sql(
    `INSERT INTO traces (id, project_id, name, user_id, timestamp, event_ts) VALUES
      ('${oldTrace}', 'default-project', 'of v3', 'user-old', now64(3), now64(3))`,
  )
  await instance.sql(
    `INSERT INTO observations (id, trace_id, project_id, type, name, start_time, end_time, level, input, output, event_ts) VALUES
      ('old-root', '${oldTrace}', 'default-project', 'SPAN', 'of v3', now64(3) - 5, now64(3), 'DEFAULT', 'an old question', 'an old reply', now64(3))`,
  )
  await instance.sql(
    `INSERT INTO observations (id, trace_id, project_id, type, name, start_time, end_time, level, status_message, parent_observation_id, event_ts) VALUES
      ('old-leaf', '${oldTrace}', 'default-project', 'GENERATION', 'old chat', now64(3) - 4, now64(3), 'ERROR', 'failed in v3', 'old-root', now64(3))`,
  )
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

const choose = (name: 'New' | 'Old') => page.getByRole('group', { name: 'Tables' }).getByText(name, { exact: true }).click()
const oldTable = () => page.getByRole('table', { name: 'Observations in the old tables' })

test('the table reads the new tables, and after the switch the tables of v3', async () => {
  await page.goto(observations)
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
  expect(await page.getByText('of v3').count()).toBe(0)
  const [request] = await Promise.all([page.waitForRequest(/default-project\/observations\?/), choose('Old')])
  expect(request.url()).toContain('/api/ui/projects/default-project/observations?')
  await oldTable().getByRole('link', { name: 'of v3' }).waitFor()
  // Turns animations off, so that the test measures the final colors.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await violations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await violations(page, ['color-contrast'])).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
})

test('the filter of the new tables stays in the address, and the old tables apply what they can', async () => {
  await page.goto(`${observations}?q=root:true+name:%22of+v3%22`)
  await page.getByText('cannot be filtered by it: root:true').waitFor()
  await expect.poll(() => oldTable().getByRole('link').allTextContents(), { timeout: 30_000 }).toEqual(['of v3'])
})

test('a trace of the old tables has its tree, times and contents', async () => {
  await oldTable().getByRole('link', { name: 'of v3' }).click()
  await page.waitForURL(/traces\/e{32}\?o=old-root/)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('region', { name: 'Input' }).getByText('an old question').waitFor()
  await page.getByRole('row', { name: /old chat/ }).click()
  await details.getByText('failed in v3').waitFor()
  await page.getByText('2 observations').waitFor()
  await page.getByText('1 error', { exact: true }).waitFor()
})

test('the choice is kept after a reload, and pages without old tables ask for the new tables', async () => {
  await page.goto(observations)
  await oldTable().waitFor()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('heading', { name: 'This page needs the new tables' }).waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('table', { name: 'API keys' }).waitFor()
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByRole('link', { name: 'Observations' }).click()
  await choose('New')
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
  await page.reload()
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
})

test('on a phone, the bar with the switch is no wider than the window', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await choose('Old')
  await oldTable().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  await choose('New')
  await page.setViewportSize({ width: 1440, height: 900 })
})

// Opens the web app while a backfill copies rows of v3. The backfill makes progress, is paused, fails, continues, and finishes.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance } from './instance.ts'

const dual = {
  SVC_MIGRATION_V4_WRITE_MODE: 'dual',
  SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
  SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'true',
}
const root = resolve(import.meta.dirname, '../../..')
let directory: string
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

const svc = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'bootstrap/run.mjs'), 'svc', ...args], {
    cwd: root,
    env: { ...process.env, ...dual, SVC_DATA_DIR: directory },
  })

const start = (settings: Readonly<Record<string, string>>) => startInstance({ ...dual, SVC_DATA_DIR: directory, ...settings })

/** Inserts rows as v3 does. In these rows, `event_ts` is the time at which v3 wrote the row. */
async function insertOldRows({ sql }: Instance): Promise<void> {
  const time = 'now64(3) - INTERVAL 2 DAY - INTERVAL number % 60 DAY'
  await sql(
    `INSERT INTO traces (id, project_id, name, user_id, input, timestamp, created_at, updated_at, event_ts)
     SELECT concat('old-', toString(number)), 'default-project', 'of v3', 'user-old', 'an old question', ${time} AS at, at, at, at FROM numbers(400)`,
  )
  await sql(
    `INSERT INTO observations (id, trace_id, project_id, type, name, start_time, end_time, level, input, output, created_at, updated_at, event_ts)
     SELECT concat('old-span-', toString(number)), concat('old-', toString(number % 400)), 'default-project', 'GENERATION', 'old chat',
       now64(3) - INTERVAL 2 DAY - INTERVAL (number % 400) % 60 DAY AS at, at + 1, 'DEFAULT', 'an old prompt', 'an old reply', at, at, at
     FROM numbers(2000)`,
  )
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-migration-'))
  const before = await start({ SVC_BACKGROUND_MIGRATION_V4_ENABLE_HISTORIC_BACKFILL: 'false' })
  await insertOldRows(before)
  await before[Symbol.asyncDispose]()
  browser = await openBrowser()
  instance = await start({ SVC_BACKFILL_MAX_ROWS: '100', SVC_BACKFILL_MAX_ROWS_PER_SECOND: '50' })
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(300_000)
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

const banner = () => page.getByRole('status').filter({ hasText: /older data/i })
const steps = () => page.getByRole('table', { name: 'Migration of older data' }).getByRole('row')

test('while older data is copied, the banner shows share, step and time left', async () => {
  await banner()
    .filter({ hasText: /newest first: \d+\s?%, step \d of 5, .+ left in this step/ })
    .waitFor()
})

test('a paused copy is reported as paused, with the command that continues it', async () => {
  await banner()
    .filter({ hasText: /step 2 of 5/ })
    .waitFor()
  await svc('backfill', 'pause')
  await banner()
    .filter({ hasText: /paused at \d+\s?%/ })
    .waitFor()
  await expectAccessible(page)
  await banner().getByRole('link').click()
  await page.getByText('svc backfill resume').waitFor()
})

test('a copy that fails shows its reason and the next command', async () => {
  // While the backfill is paused, the test inserts a row with an old write time. The backfill does not copy such a row, so the proof at the
  // end fails.
  await instance.sql(
    `INSERT INTO traces (id, project_id, name, timestamp, event_ts)
     SELECT 'rogue', 'default-project', 'by hand', now64(3) - INTERVAL 2 DAY AS at, at`,
  )
  await svc('backfill', 'resume')
  await banner().filter({ hasText: 'Copying older data has failed' }).waitFor()
  const reason = page.getByRole('alert').filter({ hasText: /step_4_.+ failed: The proof found differences: .*missing 1\D/ })
  await reason.filter({ hasText: 'svc backfill retry-failed' }).waitFor()
  await expectAccessible(page)
})

test('after the cause is removed, the copy finishes and the banner disappears', async () => {
  await instance.sql("DELETE FROM traces WHERE id = 'rogue'")
  await svc('backfill', 'retry-failed')
  await banner().waitFor({ state: 'detached' })
  expect(
    await steps()
      .filter({ hasText: /finished/ })
      .count(),
  ).toBe(4)
  await page.goto('/project/default-project/observations?t=90d')
  await page.getByRole('gridcell', { name: 'an old question' }).first().waitFor()
  expect(watched.complaints).toEqual([])
})
